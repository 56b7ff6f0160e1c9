export {
  type OperatorAction,
  OperatorActionRepository,
  type RecordedAction,
} from './operator-action.repository.js';
export { OperatorActions } from './operator-actions.js';
export { OperatorActionsModule } from './operator-actions.module.js';
