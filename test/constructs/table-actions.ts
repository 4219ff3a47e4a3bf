import type { WorkflowFunction } from '../../lib/workflow/functions.ts';

/** What each function does to the table: no more is granted, and no less is used. */
export const TABLE_ACTIONS: Readonly<Record<WorkflowFunction, readonly string[]>> = {
  openRollout: ['GetItem', 'PutItem', 'Query', 'UpdateItem'],
  roll: ['GetItem', 'PutItem', 'Query', 'UpdateItem'],
  checkWave: ['GetItem', 'Query', 'UpdateItem'],
  verifyWave: ['GetItem', 'Query', 'UpdateItem'],
  turnAround: ['GetItem', 'PutItem', 'Query', 'UpdateItem'],
  stop: ['GetItem', 'PutItem', 'Query', 'UpdateItem'],
  closeRollout: ['GetItem', 'Query', 'UpdateItem'],
};
