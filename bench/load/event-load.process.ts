import { serveCrowd } from '../processes/answer-parent.js';
import { EventCrowd, type EventCrowdPlan } from './event-crowd.js';

serveCrowd((plan: EventCrowdPlan) => EventCrowd.gather(plan));
