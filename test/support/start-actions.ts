/** What the function `start` does to the table where releases are rolled once: no more is granted, and no less is used. */
export const START_ONCE_ACTIONS = ['GetItem', 'UpdateItem'] as const;
