import { serveCrowd } from '../processes/answer-parent.js';
import { type CrowdPlan, PresenceCrowd } from './presence-crowd.js';

serveCrowd((plan: CrowdPlan) => new PresenceCrowd(plan));
