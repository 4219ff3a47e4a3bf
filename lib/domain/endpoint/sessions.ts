import { asSentence } from '../sentences.ts';

/** Whether something is so, as far as anybody has said it. */
export const SAID_OF_SESSIONS = ['yes', 'no', 'unknown'] as const;
type Said = (typeof SAID_OF_SESSIONS)[number];

/** What a change of the version means for a session that runs on the endpoint: a conversation, with its state. */
export interface Sessions {
  /** Whether it goes on with the version before. */
  readonly goOn: Said;
  /** Whether what the service keeps of it stays. */
  readonly stateKept: Said;
  /** Who says so, for people. */
  readonly source: string;
}

const ON: Readonly<Record<Said, string>> = {
  yes: 'a running one goes on with the version before',
  no: 'a running one does not go on with the version before',
  unknown: 'nobody knows whether a running one goes on with the version before',
};

const STATE: Readonly<Record<Said, string>> = {
  yes: 'its state is kept',
  no: 'its state is lost when the version changes, also on a rollback',
  unknown: 'nobody knows whether its state is kept',
};

/** Both facts in a sentence, and what spares sessions. `null`: nothing is known, and there is nothing to say. */
export function describeSessions(sessions: Sessions | undefined): string | null {
  if (sessions === undefined) return null;
  const { goOn, stateKept, source } = sessions;
  if (goOn === 'unknown' && stateKept === 'unknown') return null;
  const facts = `${ON[goOn]}, and ${STATE[stateKept]} (${source})`;
  return stateKept === 'yes' ? facts : `${facts}. ${SPARING}`;
}

const SPARING =
  'A window in which few talk, and a canary on which nobody has a session, spare them.';

/** What a rollback means for sessions, in a sentence. It begins with a space, or it is empty. */
export function describeSessionsBack(sessions: Sessions | undefined): string {
  if (sessions?.stateKept !== 'no') return '';
  return ` ${asSentence('Sessions there lose their state with each change of the version, and so once more on the way back')}`;
}
