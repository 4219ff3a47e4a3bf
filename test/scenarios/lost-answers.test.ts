import { describe, expect } from '@jest/globals';
import { ErrorName, SteprollError } from '../../lib/domain/errors.ts';
import { endpointNames } from '../support/endpoint-names.ts';
import { runScenario, type Script } from '../support/run-scenario.ts';
import { secondsSinceStart } from '../support/scenario-time.ts';
import { test, testWithStops } from '../support/test-on-services.ts';
import { wrapSteps } from '../support/wrap-steps.ts';

/** `ServiceException` although it ran: the workflow runs the step again. */
let answersLost = 0;
const engine = wrapSteps(async (run) => {
  await run();
  answersLost += 1;
  return run();
});

const losingAnswers = (script: Script = {}) => runScenario({ ...script, engine });

const SUCCESS = { outcome: 'Succeeded', reason: 'Converged', cleanup: 'none' };

describe('A03, X04: every step runs twice, because its first answer is lost', () => {
  testWithStops('the rollout succeeds, with each endpoint rolled once', async () => {
    const run = await losingAnswers();

    expect(answersLost).toBeGreaterThan(30);
    expect(run.outcome).toMatchObject({
      ...SUCCESS,
      message: '12 endpoints rolled to version 2 in 3 waves.',
    });
    expect(run.rolled).toEqual(endpointNames(1, 12));
  });

  test('nothing to do stays nothing to do', async () => {
    const run = await losingAnswers({ endpoints: [{ name: 'web-1', version: 2 }] });

    expect(run.outcome).toMatchObject({
      outcome: 'Succeeded',
      reason: 'NothingToDo',
      cleanup: 'none',
    });
    expect(run.rolled).toEqual([]);
  });

  test('rolls without an answer are not sent twice', async () => {
    const run = await losingAnswers({
      faults: {
        onRoll: (carryOut) => {
          carryOut();
          throw new SteprollError(ErrorName.OutcomeUnknown, 'reset');
        },
      },
    });

    expect(run.outcome).toMatchObject(SUCCESS);
    expect(run.rolled).toEqual(endpointNames(1, 12));
  });

  test('a read that does not show the roll yet makes no second roll', async () => {
    const run = await losingAnswers({
      faults: {
        onList: (read) =>
          secondsSinceStart() < 12 ? read().map((one) => ({ ...one, targetVersion: 1 })) : read(),
      },
    });

    expect(run.outcome).toMatchObject(SUCCESS);
    expect(run.rolled).toEqual(endpointNames(1, 12));
  });

  testWithStops('old endpoints are stopped once', async () => {
    const run = await losingAnswers({ broken: [STUCK] });

    expect(run.outcome).toMatchObject({ outcome: 'Failed', reason: 'Stalled', cleanup: 'stopped' });
    expect(run.rolled).toEqual(endpointNames(1, 3));
    expect(run.stopped).toEqual(['endpoint-02']);
  });

  testWithStops('H12: a stop that never succeeds is tried three times in all', async () => {
    const run = await losingAnswers({
      broken: [STUCK],
      faults: {
        onStop: () => {
          throw new SteprollError(ErrorName.OutcomeUnknown, '502');
        },
      },
    });

    expect(run.outcome).toMatchObject({
      outcome: 'Failed',
      reason: 'Stalled',
      cleanup: 'incomplete',
    });
    expect(run.stopped).toHaveLength(3);
  });

  testWithStops('a regress is contained as before', async () => {
    const run = await losingAnswers({
      broken: [{ endpoint: 'endpoint-01', kind: 'regress', afterSeconds: 60 }],
      policy: { onFailure: 'stop-old' },
    });

    expect(run.outcome).toMatchObject({
      outcome: 'Failed',
      reason: 'LiveRegressed',
      cleanup: 'stopped',
    });
    expect(run.stopped).toEqual(['endpoint-01']);
  });

  test('H20: a refused roll is refused once', async () => {
    const run = await losingAnswers({
      faults: {
        onRoll: () => {
          throw new SteprollError(ErrorName.UpstreamRejected, '400');
        },
      },
    });

    expect(run.outcome).toMatchObject({
      outcome: 'Failed',
      reason: 'UpstreamRejected',
      cleanup: 'none',
    });
    expect(run.rolled).toEqual(['endpoint-01']);
  });
});

const STUCK = { endpoint: 'endpoint-02', kind: 'stuck' };

test.each([10, 90])(
  'H11: a roll that arrived without an answer succeeds within a deadline of %i s, also when the list lacks its endpoint meanwhile',
  async (progressDeadlineSeconds) => {
    const run = await runScenario({
      endpoints: 2,
      rollSeconds: 2,
      policy: { waves: [{ percent: 100 }], bakeSeconds: 0, progressDeadlineSeconds },
      faults: {
        onRoll: (carryOut, { nth }) => {
          const answer = carryOut();
          if (nth === 1) throw new SteprollError(ErrorName.OutcomeUnknown, 'reset');
          return answer;
        },
        onList: (read) => {
          const isShort = progressDeadlineSeconds > 60 && secondsSinceStart() >= 50;
          return isShort && secondsSinceStart() < 60 ? read().slice(1) : read();
        },
      },
    });

    expect(run.outcome).toMatchObject(SUCCESS);
    expect(run.rolled).toEqual(endpointNames(1, 2));
  },
);
