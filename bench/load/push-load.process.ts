import { serveCrowd } from '../processes/answer-parent.js';
import { PushCrowd, type PushPlan } from './push-crowd.js';

serveCrowd((plan: PushPlan) => new PushCrowd(plan));
