declare module 'dynalite' {
  import type { Server } from 'node:http';

  interface DynaliteOptions {
    /** How long a new table stays in CREATING, in milliseconds. @default 500 */
    readonly createTableMs?: number;
  }

  /** An in-memory DynamoDB; `listen` starts it, `close` ends it. */
  const dynalite: (options?: DynaliteOptions) => Server;
  export = dynalite;
}
