import { expect, test } from '@jest/globals';
import { abilitiesWith, REST_ABILITIES } from '../../../lib/contract/service/services.ts';
import { wireMappingSchema } from '../../../lib/contract/service/wire.ts';
import {
  describeSessions,
  describeSessionsBack,
  type Sessions,
} from '../../../lib/domain/endpoint/sessions.ts';

const said = (goOn: Sessions['goOn'], stateKept: Sessions['stateKept']): Sessions => ({
  ...{ goOn, stateKept, source: 'a page' },
});

test.each([
  ['nothing', undefined],
  ['two facts that nobody knows', said('unknown', 'unknown')],
])('of %s nothing is said', (_, sessions) => {
  expect(describeSessions(sessions)).toBeNull();
  expect(describeSessionsBack(sessions)).toBe('');
});

test('each fact is said with its source, and with what spares sessions unless they keep their state', () => {
  expect(describeSessions(said('unknown', 'no'))).toBe(
    'nobody knows whether a running one goes on with the version before, and its state is lost when the version changes, also on a rollback (a page). A window in which few talk, and a canary on which nobody has a session, spare them.',
  );
  expect(describeSessions(said('yes', 'yes'))).toBe(
    'a running one goes on with the version before, and its state is kept (a page)',
  );
  expect(describeSessions(said('no', 'unknown'))).toMatch(
    /^a running one does not go on .*, and nobody knows whether its state is kept \(a page\)\. /,
  );
});

test('a rollback says that sessions lose their state once more, where they do', () => {
  expect(describeSessionsBack(said('unknown', 'no'))).toBe(
    ' Sessions there lose their state with each change of the version, and so once more on the way back.',
  );
  expect(describeSessionsBack(said('no', 'yes'))).toBe('');
});

test('of a service with a base URL the configuration says it, and where it does not, nobody does', () => {
  expect(abilitiesWith(wireMappingSchema.parse({}))).toEqual(REST_ABILITIES);
  const { sessions } = abilitiesWith(wireMappingSchema.parse({ sessions: { goOn: 'yes' } }));
  expect(sessions).toEqual({ goOn: 'yes', stateKept: 'unknown', source: 'wire.sessions' });
});
