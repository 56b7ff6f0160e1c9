import { badRequest, defineErrors } from '#platform/contracts';

/** Settings of accounts. */
export const settingErrors = defineErrors({
  ownSettingOnly: badRequest(
    'Cannot change this setting for other users.',
    'Only the account itself may change its name, its time zone, and what others see of it.',
  ),
  noTargetUsers: badRequest(
    'Either user_ids or group_ids must be provided.',
    'A change for other accounts names none.',
  ),
});
