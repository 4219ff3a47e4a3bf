import { useState } from 'preact/hooks';
import { mayContain, nounOf } from '../../domain/rollout/group.ts';
import { FAILURE_POLICIES, type FailurePolicy } from '../../domain/rollout/policy.ts';
import { capitalized, countOf } from '../../domain/sentences.ts';
import { namesWave } from '../../domain/signals/signal-kind.ts';
import { PERSONAL_SIGNALS, type PersonalKind } from '../../domain/signals/signals.ts';
import type { Course } from '../../telling/story/course.ts';
import { plainText } from '../../telling/text.ts';
import { wordsOfStage } from '../../telling/words/draw-course.ts';
import { WHAT_COUNTS } from '../../telling/words/sent.ts';
import type { Done, Offer, OpenRollout, OpenRollouts, ToldRollout } from '../desk.ts';
import { Cut } from './cut.tsx';
import { Choices, Dialog, DoneLine } from './dialog.tsx';
import { nameOfEndpoint } from './endpoint-grid.tsx';
import { GateLines } from './gates.tsx';
import { HoldDialog, liftAll } from './holds.tsx';
import { goTo, rolloutPath } from './route.ts';
import { post } from './server.ts';

export interface ActingProps {
  readonly story: ToldRollout;
  /** `null`: it has ended, or nobody knows yet. */
  readonly open: OpenRollout | null;
  readonly look: OpenRollouts | null;
  /** How it was expected to go. `null`: nobody knows. */
  readonly ahead: Course | null;
}

type OnEnd = (end: Done | null) => void;

interface Act {
  readonly title: string;
  /** How its button looks. @default - like any other */
  readonly look?: 'main' | 'danger-quiet' | 'way-back' | undefined;
  readonly ask: (onEnd: OnEnd) => preact.JSX.Element;
}

/** What a person may do with the rollout now. Each act says first what it will do. */
export function Acting(props: ActingProps) {
  const [asked, setAsked] = useState<Act | null>(null);
  const [done, setDone] = useState<Said | null>(null);
  const acts = actsOf(props);
  const end: OnEnd = (end) => {
    setAsked(null);
    if (end === null) return;
    setDone({ ...end, wasOpen: props.story.report.outcome === null });
    if (end.rolloutId !== null) goTo(rolloutPath(end.rolloutId));
  };
  return (
    <div class="acting">
      {acts.map((act) => (
        <button key={act.title} type="button" class={act.look} onClick={() => setAsked(act)}>
          {act.title} …
        </button>
      ))}
      <DoneLine text={noteOf(done, props.story)} of={done} />
      {asked?.ask(end)}
    </div>
  );
}

interface Said extends Done {
  /** Whether the rollout had not ended. */
  readonly wasOpen: boolean;
}

/** What somebody has said stands there until the rollout has answered, or has ended. */
function noteOf(done: Said | null, { happenings, report }: ToldRollout): string {
  const said = happenings.find(({ kind, at }) => kind === 'signal' && at === done?.toldAt);
  const isOver = done?.wasOpen && report.outcome !== null;
  return said?.answer ?? (isOver ? '' : (done?.message ?? ''));
}

function actsOf(props: ActingProps): readonly Act[] {
  const { story, open } = props;
  const { report } = story;
  if (report.outcome !== null) return actsAfterEnd(props);
  const resume = runningAct('resume', 'Resume', story.resume, story, 'main');
  const isDead = story.isAbandoned;
  const signals = SIGNALS.flatMap((signal): readonly Act[] => {
    // Nobody hears an answer of a rollout whose process is dead.
    if (isDead && namesWave(signal)) return [];
    return signalAct(signal, props);
  });
  const pause = isDead || open === null || open.phase === 'waiting' ? [] : pauseActs(props, open);
  const isAbort = ({ title }: Act) => title === 'Abort';
  const others = signals.filter((act) => !isAbort(act));
  return [...resume, ...others, ...pause, ...signals.filter(isAbort)];
}

/** What a retry does that is the best thing to do. After an end that somebody wanted, it is no more than possible. */
const RETRIES: readonly unknown[] = ['roll-rest', 'try-again', 'start-again'];

function actsAfterEnd({ story, look }: ActingProps): readonly Act[] {
  const { report, retry, revert } = story;
  const [best] = report.next;
  const isFirst = best !== undefined && RETRIES.includes(best.step);
  const isAfresh = report.next.some(({ step }) => step === 'start-afresh');
  const acts = [
    ...runningAct('revert', 'Revert', revert, story, 'way-back'),
    ...runningAct(
      'retry',
      isAfresh ? 'Start again' : 'Retry',
      retry,
      story,
      isFirst ? 'main' : undefined,
    ),
  ];
  return [...(isFirst ? acts.toReversed() : acts), ...quarantineAct(story, look)];
}

// Those that decide last come first.
const SIGNALS = PERSONAL_SIGNALS.toReversed();

function runningAct(
  act: 'retry' | 'revert' | 'resume',
  title: string,
  offer: Offer | null,
  { report }: ToldRollout,
  look: Act['look'],
): readonly Act[] {
  if (offer === null || 'whyNot' in offer) return [];
  const path = `/api${rolloutPath(report.rolloutId)}/${act}`;
  const ask = (onEnd: OnEnd) => (
    <Dialog
      title={title}
      look={look === 'way-back' ? look : 'main'}
      send={(reason, key) => post<Done>(path, { key, reason })}
      onEnd={onEnd}
    >
      {offer.says.map((sentence) => (
        <p key={sentence}>
          <Cut text={sentence} />
        </p>
      ))}
    </Dialog>
  );
  return [{ title, look, ask }];
}

function signalAct(signal: PersonalKind, props: ActingProps): readonly Act[] {
  const { open } = props;
  const wave = waveOf(signal, open);
  if (namesWave(signal) && wave === null) return [];
  const name = capitalized(signal.kind);
  const title = wave === null ? name : `${name} wave ${wave}`;
  const look =
    // In a healthy bake nobody has to do anything.
    signal.answer === 'pass'
      ? 'main'
      : signal.answer === undefined && !signal.endsBake
        ? 'danger-quiet'
        : undefined;
  const ask = (onEnd: OnEnd) => (
    <SignalQuestion signal={signal} wave={wave} title={title} {...props} onEnd={onEnd} />
  );
  return [{ title, look, ask }];
}

/** The wave that waits or bakes now, which is the one that the person knows. */
function waveOf(signal: PersonalKind, open: OpenRollout | null): number | null {
  if (!namesWave(signal) || open === null) return null;
  return (signal.endsBake ? open.bakes : open.approval?.wave) ?? null;
}

function pauseActs({ story, look }: ActingProps, open: OpenRollout): readonly Act[] {
  const { rolloutId, runtimeId } = story.report;
  const own = look?.holds.filter(({ scope }) => scope.rolloutId === rolloutId) ?? [];
  if (own.length > 0) {
    const others = open.pausedBy.length - own.length;
    const ask = (onEnd: OnEnd) => (
      <Dialog
        title="Go on"
        look="main"
        mustSayWhy
        send={(reason, key) => liftAll(own, reason, key)}
        onEnd={onEnd}
      >
        <p>
          {others > 0
            ? 'Its own pause is lifted. It stays paused, because another hold is on it.'
            : 'It rolls on at its next look, from where it is.'}
        </p>
        {own.map(({ id, by, reason }) => (
          <p key={id} class="minor">
            Paused by {plainText(by)}: {plainText(reason)}
          </p>
        ))}
      </Dialog>
    );
    return [{ title: 'Go on', look: 'main', ask }];
  }
  if (open.pausedBy.length > 0) return [];
  const rest = story.report.endpoints.filter(({ fate }) => fate === 'not-rolled');
  const says = [
    `It begins no further wave and no further roll: ${countAll(rest, story)} not rolled yet.`,
    'What is on its way is not called back. Bakes and gates go on, and deadlines stand still. Abort and roll-back pass.',
  ];
  const ask = (onEnd: OnEnd) => (
    <HoldDialog
      title="Pause"
      asked={{ kinds: ['pause'], runtimeId, rolloutId }}
      look={look}
      says={says}
      seconds={1_800}
      onEnd={onEnd}
    />
  );
  return [{ title: 'Pause', ask }];
}

function quarantineAct(
  { report, mayQuarantine }: ToldRollout,
  look: OpenRollouts | null,
): readonly Act[] {
  const { runtimeId, version, outcome } = report;
  if (!mayQuarantine || version === null || outcome === 'Superseded') return [];
  const title = `Quarantine version ${version}`;
  const says = [
    `Nothing starts to version ${version} of ${plainText(runtimeId)}, whoever or whatever asks for it. What is under way to it is paused.`,
    'What has it already keeps it: a revert takes it back. A person who means it can start it all the same.',
  ];
  const ask = (onEnd: OnEnd) => (
    <HoldDialog
      title={title}
      asked={{ kinds: ['quarantine'], runtimeId, version }}
      look={look}
      says={says}
      seconds={7 * 24 * 3_600}
      onEnd={onEnd}
    />
  );
  return [{ title, ask }];
}

interface SignalProps extends ActingProps {
  readonly signal: PersonalKind;
  readonly wave: number | null;
  readonly title: string;
  readonly onEnd: OnEnd;
}

function SignalQuestion({ signal, wave, title, story, ahead, onEnd }: SignalProps) {
  const { report, containments, isAbandoned } = story;
  const { command, kind } = signal;
  const said = story.happenings.filter((one) => one.kind === 'signal');
  const [policy, setPolicy] = useState(command.policy?.otherwise ?? story.onFailure);
  const [isFull, setFull] = useState(0);
  // Those of the moment when it was asked, because a choice that comes later would move the others.
  const [policies] = useState(() => policiesOf(policy, story));
  const send = (reason: string, key: string) =>
    post<Done>(`/api${rolloutPath(report.rolloutId)}/${kind}`, {
      ...{ key, reason },
      ...(wave !== null && { wave }),
      ...(signal.endsBake && { isFull: isFull === 1 }),
      ...(command.policy && { onFailure: policy }),
    });
  const isDanger = command.policy !== undefined;
  return (
    <Dialog title={title} look={isDanger ? 'danger' : 'main'} send={send} onEnd={onEnd}>
      {isAbandoned && (
        <p class="trouble">
          Its process seems to be dead. The abort is noted, and nobody carries it out until somebody
          resumes the rollout.
        </p>
      )}
      <p>{command.consequence(containments[policy])}</p>
      {signal.answer === 'pass' && wave !== null && <p>{nextWave(wave, story, ahead)}</p>}
      {(signal.answer === 'pass' || signal.endsBake) && <GateLines gates={story.gates} />}
      {signal.endsBake && wave !== null && wave < report.waves.length && (
        <Choices
          legend="Which bakes"
          value={isFull}
          onChoose={setFull}
          choices={[
            { value: 0, title: `Only that of wave ${wave}`, says: nextWave(wave, story, ahead) },
            {
              value: 1,
              title: `Those of wave ${wave} and of all that follow`,
              says: `No later wave bakes either: ${countAll(endpointsFrom(wave + 1, story), story)} roll without one.`,
            },
          ]}
        />
      )}
      {command.policy && policies.length > 1 && (
        <Choices
          legend="What happens to the endpoints that it rolled"
          value={policy}
          onChoose={setPolicy}
          choices={policies.map((one) => {
            return { value: one, title: TITLES[one], says: describePolicy(one, story) };
          })}
        />
      )}
      {said.length > 0 && (
        <p class="minor">
          Said so far: {said.map(({ text }) => text).join('; ')}. {WHAT_COUNTS}
        </p>
      )}
    </Dialog>
  );
}

const TITLES: Readonly<Record<FailurePolicy, string>> = {
  hold: 'Leave everything as it is',
  'roll-back': 'Take back what it rolled',
  'stop-old': 'Stop what is not live on the version',
};

type Endpoint = ToldRollout['report']['endpoints'][number];

/** The endpoints that a policy does something to. */
const TOUCHED: Readonly<Record<FailurePolicy, readonly Endpoint['fate'][]>> = {
  hold: [],
  'roll-back': ['live', 'in-mid-roll', 'lost'],
  'stop-old': ['in-mid-roll', 'lost'],
};

/** What would do nothing to any endpoint is what `hold` does, and no choice of its own. */
function policiesOf(usual: FailurePolicy, { report }: ToldRollout): readonly FailurePolicy[] {
  const isChoice = (one: FailurePolicy) =>
    one === usual ||
    one === 'hold' ||
    report.endpoints.some(({ fate }) => TOUCHED[one].includes(fate));
  return FAILURE_POLICIES.filter(
    (one) => mayContain(report.runtimeId, one) && isChoice(one),
  ).toReversed();
}

function describePolicy(policy: FailurePolicy, story: ToldRollout): string {
  const { endpoints } = story.report;
  const are = (...fates: readonly Endpoint['fate'][]) =>
    endpoints.filter(({ fate }) => fates.includes(fate));
  const touched = are(...TOUCHED[policy]);
  const { consequence } = story.containments[policy];
  const says = capitalized(consequence);
  switch (policy) {
    case 'hold':
      return `${says}: ${are('live').length} live on the version, ${are('in-mid-roll').length} in mid-roll, ${are('not-rolled').length} not rolled.`;
    case 'roll-back':
      return `${says}: now ${countAll(touched, story)}${namesOf(touched)}.`;
    case 'stop-old':
      return `${says}: now ${countAll(touched, story)}${namesOf(touched)}. A stop cannot be undone.`;
    default:
      return policy satisfies never;
  }
}

/** What the wave after this one rolls, and for how long. */
function nextWave(wave: number, story: ToldRollout, ahead: Course | null): string {
  const next = story.report.endpoints.filter((one) => one.wave === wave + 1);
  if (next.length === 0) return 'It is the last wave.';
  const stage = ahead?.stages.find((one) => one.stage === 'forward' && one.wave === wave + 1);
  const time = stage === undefined ? '' : ` It ${wordsOfStage(stage)}, as planned.`;
  return `Wave ${wave + 1} is ${countAll(next, story)}${namesOf(next)}.${time}`;
}

function endpointsFrom(wave: number, { report }: ToldRollout): readonly Endpoint[] {
  return report.endpoints.filter((one) => one.wave >= wave);
}

function countAll({ length }: readonly unknown[], { report }: Pick<ToldRollout, 'report'>): string {
  return countOf(length, nounOf(report.runtimeId));
}

const FEW_NAMES = 3;

function namesOf(endpoints: readonly Endpoint[]): string {
  if (endpoints.length === 0) return '';
  const names = endpoints.slice(0, FEW_NAMES).map(nameOfEndpoint).join(', ');
  const more = endpoints.length - FEW_NAMES;
  return ` (${names}${more > 0 ? ` and ${more} more` : ''})`;
}
