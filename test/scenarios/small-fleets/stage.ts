import type { TaskHandler } from '../../../lib/embedded/engine.ts';
import { compileMachine, MachineEnd } from '../../../lib/embedded/interpreter/machine.ts';
import { startRollout } from '../../../lib/embedded/run-workflow.ts';
import type { GateAnswer } from '../../../lib/gates/gate.ts';
import type { Clock } from '../../../lib/ports/clock.ts';
import { named } from '../../../lib/rehearsal/mortal-ledger.ts';
import type { StepContext } from '../../../lib/steps/io/ports.ts';
import { ROLLOUT_DEFINITION } from '../../../lib/workflow/definition.ts';
import { gatePortsOf } from '../../support/gate-ports.ts';
import { START } from '../../support/scenario-time.ts';
import { skippingSleep } from '../../support/skipping-sleep.ts';
import type { Chooser } from './chooser.ts';
import { type Configuration, policyOf } from './configuration.ts';
import { busOf, ledgerOf, serviceOf } from './ports.ts';
import {
  bury,
  CRASH,
  closeScene,
  letFleetProgress,
  mayDie,
  mayLift,
  openScene,
  type Scene,
} from './scene.ts';
import { INPUT, isOver, ROLLOUT_ID, type Situation } from './situation.ts';

/** Goes on from a situation to the next one: through one state of the workflow, and the choices after it. */
export type Advance = (before: Situation, chooser: Chooser) => Promise<Situation>;

/**
 * Puts a bug between the steps and the world, for tests that look whether it is found. It may remember nothing by
 * itself, because the walk goes back and forth.
 */
export type Plant = (context: StepContext, sceneNow: () => Scene) => StepContext;

type Place = Pick<Situation, 'state' | 'input'>;

const { States } = ROLLOUT_DEFINITION;

/**
 * Batches go one after the other. Of two that go at once in no time, one may have read the list or the signals before
 * something happens and write after it, and nobody could tell that from a mistake.
 */
const MACHINE = compileMachine({
  ...ROLLOUT_DEFINITION,
  States: { ...States, 'Roll wave': { ...States['Roll wave'], MaxConcurrency: 1 } },
});

const KIND_OF: ReadonlyMap<string, string> = new Map(
  Object.entries(States).map(([name, { Type }]) => [name, Type]),
);

/** Long after everything that a rollout of these policies waits for. */
const LATE_MS = 600_000;

/** The real definition with the real steps, between a ledger and a service where anything may happen. */
export async function setStage(
  configuration: Configuration,
  plant: Plant = (context) => context,
): Promise<Advance> {
  let scene: Scene;
  const sceneNow = () => scene;
  const policy = policyOf(configuration);
  const context: StepContext = {
    service: serviceOf(sceneNow, 'https://endpoints.example.com'),
    ledger: ledgerOf(sceneNow),
    events: busOf(sceneNow),
    gates: gatePortsOf({
      probe: pass,
      alarm: pass,
      metrics: (questions) => Promise.all(questions.map(pass)),
    }),
    clock: {
      now: () => scene.now,
      elapsed: () => scene.now,
      sleep: (...args) => clockOf(scene).sleep(...args),
    },
    policyOf: () => policy,
  };
  const planted = plant(context, sceneNow);
  const handlers = mortalHandlers(await handlersOf(planted), sceneNow);
  const enter = async ({ state, input }: Place): Promise<Place> => {
    const run = MACHINE.states.get(state);
    if (run === undefined) throw new Error(`The workflow has no state ${state}`);
    scene.states.push(state);
    if (KIND_OF.get(state) === 'Wait') {
      letFleetProgress(scene);
      await mayLift(scene);
    }
    try {
      const { output, next } = await run(input, {
        clock: clockOf(scene),
        // No retry waits.
        random: () => 0,
        handlers,
        onState: (inner) => scene.states.push(inner),
        signal: undefined,
        context: CONTEXT,
        endsAt: Number.POSITIVE_INFINITY,
      });
      return { state: String(next), input: output };
    } catch (error) {
      if (!(error instanceof MachineEnd)) throw error;
      const when = scene.chooser.choose('the process', ['is resumed at once', 'is resumed late']);
      if (when === 'is resumed late') scene.now += LATE_MS;
      return { state: ROLLOUT_DEFINITION.StartAt, input: INPUT };
    }
  };
  return async (before, chooser) => {
    scene = openScene(before, chooser);
    let place: Place = await enter(before);
    while (KIND_OF.get(place.state) === 'Choice') place = await enter(place);
    if (isOver(place)) scene.states.push(place.state);
    return closeScene(scene, place, before);
  };
}

const CONTEXT = {
  Execution: { Name: ROLLOUT_ID, Input: INPUT, StartTime: new Date(START).toISOString() },
  StateMachine: { Id: 'embedded' },
};

const pass = async (): Promise<GateAnswer> => ({ verdict: 'pass', detail: '' });

/** A clock that goes only while somebody waits. */
function clockOf(scene: Scene): Clock {
  return {
    now: () => scene.now,
    sleep: skippingSleep((milliseconds) => {
      scene.now += milliseconds;
    }),
  };
}

type Handlers = Readonly<Record<string, TaskHandler>>;

/** What a real rollout in this process would give to its engine. */
function handlersOf(context: StepContext): Promise<Handlers> {
  return new Promise((resolve, reject) => {
    const engine = ({ handlers }: { readonly handlers: Handlers }) => {
      resolve(handlers);
      return new Promise<never>(() => undefined);
    };
    startRollout({ rolloutId: ROLLOUT_ID, input: INPUT, context, engine }).catch(reject);
  });
}

/** A step that dies has no answer, whatever it would have said. */
function mortalHandlers(handlers: Handlers, sceneNow: () => Scene): Handlers {
  return Object.fromEntries(
    Object.entries(handlers).map(([state, handle]): [string, TaskHandler] => [
      state,
      async (parameters) => {
        const scene = sceneNow();
        const answer = await handle(parameters).catch((error: unknown) => {
          if (scene.dead === null) throw error;
        });
        mayDie(scene, `before the answer of ${state}`);
        const { dead } = scene;
        if (dead === null) return answer;
        bury(scene);
        throw dead === 'process' ? new MachineEnd('ABORTED') : named(CRASH);
      },
    ]),
  );
}
