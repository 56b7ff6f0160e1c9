import { type DynamicModule, Module } from '@nestjs/common';
import { OperatorActionRepository } from './operator-action.repository.js';
import { OPERATOR, OperatorActions } from './operator-actions.js';

/** The record of operators' changes, globally; needs DatabaseModule. */
@Module({})
export class OperatorActionsModule {
  static of(operator: string): DynamicModule {
    return {
      module: OperatorActionsModule,
      global: true,
      providers: [
        OperatorActionRepository,
        OperatorActions,
        { provide: OPERATOR, useValue: operator },
      ],
      exports: [OperatorActions],
    };
  }
}
