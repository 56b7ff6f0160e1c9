import { z } from 'zod';

/** Who has a permission, as answers tell it. */
export const groupSettingValue = z.union([
  z.int().describe('The id of a group that has the permission.'),
  z.object({
    direct_members: z.array(z.int()).describe('The ids of active users.'),
    direct_subgroups: z.array(z.int()).describe('The ids of groups.'),
  }),
]);
