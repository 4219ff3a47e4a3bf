import type { Sessions } from './sessions.ts';

/** What an endpoint service can do besides to list, create and roll endpoints, and what it does by itself. */
export interface ServiceAbilities {
  readonly stops: boolean;
  /** Whether all rolls with the same token are carried out only once, so that one without an answer may be sent again. */
  readonly repeatsRolls: boolean;
  readonly listsVersions: boolean;
  /** The highest version that it takes. `null`: there is no limit. */
  readonly highestVersion: number | null;
  /** Names of the endpoints that it moves to every new version by itself. They are never rolled. */
  readonly movedByService: readonly string[];
  /** What a roll means for sessions. @default - nobody says anything of it */
  readonly sessions?: Sessions;
}
