import type { WorkflowFunction } from '../../lib/workflow/functions.ts';

/** What each function does to the table: no more is granted, and no less is used. */
export const TABLE_ACTIONS: Readonly<Record<WorkflowFunction, readonly string[]>> = {
  openRollout: ['BatchGetItem', 'GetItem', 'PutItem', 'Query', 'UpdateItem'],
  roll: ['BatchGetItem', 'GetItem', 'PutItem', 'Query', 'UpdateItem'],
  look: ['BatchGetItem', 'GetItem', 'PutItem', 'Query', 'UpdateItem'],
  turnAround: ['BatchGetItem', 'GetItem', 'PutItem', 'Query', 'UpdateItem'],
  stop: ['BatchGetItem', 'GetItem', 'PutItem', 'Query', 'UpdateItem'],
  closeRollout: ['BatchGetItem', 'GetItem', 'Query', 'UpdateItem'],
};

/** What a function does to an index of the table, which is a resource of its own. */
export const INDEX_ACTIONS: Partial<Record<WorkflowFunction, readonly string[]>> = {
  openRollout: ['Query of ofRuntime'],
};
