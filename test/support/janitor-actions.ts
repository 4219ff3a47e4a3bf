/** What the janitor's functions do to the table, and to its index: no more is granted, and no less is used. */
export const JANITOR_ACTIONS = {
  table: ['BatchGetItem', 'GetItem', 'Query', 'UpdateItem'],
  index: ['Query'],
} as const;
