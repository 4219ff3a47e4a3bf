import { useState } from 'preact/hooks';
import { dateMinute } from '../../domain/local-time.ts';
import { groupNameOf } from '../../domain/rollout/group.ts';
import { capitalized } from '../../domain/sentences.ts';
import { listNames, plainText } from '../../telling/text.ts';
import { nameOfRollout } from '../../telling/words/name.ts';
import type { HoldAsked } from '../asked.ts';
import type { Done, OpenRollout, OpenRollouts, StandingHold } from '../desk.ts';
import { Choices, Dialog, DoneLine } from './dialog.tsx';
import { post } from './server.ts';

/** A version that nobody may roll, or a pinned endpoint, keeps no rollout from going on, and there may be many. */
export function isQuiet({ kinds }: StandingHold): boolean {
  return kinds.every((kind) => kind === 'quarantine' || kind === 'pin');
}

function summaryOf(quiet: readonly StandingHold[]): string {
  const pins = quiet.filter(({ kinds }) => kinds.includes('pin')).length;
  const versions = quiet.length - pins;
  return [
    versions === 1 ? '1 version is in quarantine' : `${versions} versions are in quarantine`,
    pins === 1 ? '1 endpoint is pinned' : `${pins} endpoints are pinned`,
  ]
    .filter((words) => !words.startsWith('0 '))
    .join(', ');
}

/** Holds in force, and how they are lifted. Those that are quiet may stand below everything else. */
export function HoldsBand({
  title,
  holds: standing,
  look,
}: {
  readonly title: string;
  readonly holds: readonly StandingHold[];
  readonly look: OpenRollouts;
}) {
  const [asked, setAsked] = useState<StandingHold | null>(null);
  const [done, setDone] = useState('');
  if (standing.length === 0 && done === '') return null;
  const holds = standing.map((hold) => withName(hold, look));
  const quiet = holds.filter(isQuiet);
  const loud = holds.filter((hold) => !isQuiet(hold));
  const toLine = (hold: StandingHold) => (
    <HoldLine key={`${hold.id} ${hold.on}`} hold={hold} onLift={() => setAsked(hold)} />
  );
  return (
    <section
      id={title.toLowerCase()}
      class={`holds ${loud.length === 0 ? 'quiet' : ''}`}
      aria-label={title}
    >
      {loud.map(toLine)}
      {quiet.length > 0 && (
        <details>
          <summary>{summaryOf(quiet)}</summary>
          {quiet.map(toLine)}
        </details>
      )}
      <DoneLine text={done} />
      {asked !== null && (
        <Dialog
          title={`Lift the ${whatOf(asked)}`}
          look="main"
          mustSayWhy
          send={(reason, key) => liftAll([asked], reason, key)}
          onEnd={(end) => {
            setAsked(null);
            if (end !== null) setDone(end.message);
          }}
        >
          <p>{consequenceOf(asked)}</p>
          {!asked.isOwn && (
            <p class="trouble">
              It is from {plainText(asked.by)}, not from you: {plainText(asked.reason)}
            </p>
          )}
        </Dialog>
      )}
    </section>
  );
}

/** A rollout under way is known by its name, and not by its id. */
function withName(hold: StandingHold, { rollouts }: OpenRollouts): StandingHold {
  const on = rollouts.find(({ rolloutId }) => rolloutId === hold.scope.rolloutId);
  return on === undefined ? hold : { ...hold, on: nameOfRollout(on) };
}

/** Lifts them one by one, also those of others, and answers what was done last. */
export async function liftAll(
  holds: readonly StandingHold[],
  reason: string,
  key: string,
): Promise<Done> {
  let done: Done = { message: '', rolloutId: null };
  for (const { id, isOwn } of holds) {
    const path = `/api/holds/${encodeURIComponent(id)}/lift`;
    done = await post(path, { key, reason, isForced: !isOwn });
  }
  return done;
}

interface HoldLineProps {
  readonly hold: StandingHold;
  readonly onLift: () => void;
}

function HoldLine({ hold, onLift }: HoldLineProps) {
  return (
    <div class="hold">
      <p>
        <strong>{titleOf(hold)}</strong>{' '}
        {hold.until === null ? 'until it is lifted' : `until ${dateMinute(hold.until)}`}, from{' '}
        {plainText(hold.by)}: {plainText(hold.reason)}
      </p>
      <button type="button" onClick={onLift} aria-label={`Lift the ${whatOf(hold)} …`}>
        Lift …
      </button>
    </div>
  );
}

/** The freeze and pause of everything. */
function isLine({ kinds, scope }: StandingHold): boolean {
  return kinds.includes('freeze') && kinds.includes('pause') && scope.runtimeId === undefined;
}

function whatOf({ kinds, on }: StandingHold): string {
  return plainText(`${kinds.join(' and ')} of ${on}`);
}

function titleOf(hold: StandingHold): string {
  if (isLine(hold)) return 'The line is stopped: nothing starts, and nothing more is rolled,';
  return capitalized(whatOf(hold));
}

function consequenceOf({ kinds }: StandingHold): string {
  return [
    ...(kinds.includes('freeze') ? ['What waits for it may start.'] : []),
    ...(kinds.includes('pause') ? ['What is paused rolls on at its next look.'] : []),
    ...(kinds.includes('quarantine') ? ['The version may be rolled again.'] : []),
    ...(kinds.includes('pin') ? ['Rollouts roll the endpoint again.'] : []),
    ...(kinds.includes('unlock') ? ['Locked windows and freezes hold again.'] : []),
    'Other holds stay.',
  ].join(' ');
}

interface HoldDialogProps {
  readonly title: string;
  readonly asked: Pick<HoldAsked, 'kinds' | 'runtimeId' | 'rolloutId' | 'version'>;
  readonly look: OpenRollouts | null;
  /** What it will do, in sentences. */
  readonly says: readonly string[];
  /** For how many seconds, unless the person says otherwise. */
  readonly seconds: number;
  readonly onEnd: (end: Done | null) => void;
}

const HOUR = 3_600;
const DURATIONS = [
  { value: HOUR / 2, title: '30 minutes' },
  { value: 2 * HOUR, title: '2 hours' },
  { value: 8 * HOUR, title: '8 hours' },
  { value: 24 * HOUR, title: '1 day' },
  { value: 7 * 24 * HOUR, title: '7 days' },
];

/** A question before something is held. */
export function HoldDialog({ title, asked, look, says, seconds: usual, onEnd }: HoldDialogProps) {
  const [seconds, setSeconds] = useState(usual);
  // What the person has seen who decides to hold something.
  const [seen] = useState(() => look?.holds.map(({ id }) => id) ?? []);
  return (
    <Dialog
      title={title}
      look="danger"
      mustSayWhy
      send={(reason, key) => post<Done>('/api/holds', { ...asked, key, seen, seconds, reason })}
      onEnd={onEnd}
    >
      {says.map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
      <div class="row-of-choices">
        <Choices
          legend="For how long, unless somebody lifts it before"
          choices={DURATIONS}
          value={seconds}
          onChoose={setSeconds}
        />
      </div>
    </Dialog>
  );
}

const NOT_CALLED_BACK =
  'What is on its way is not called back. Bakes and gates go on, and deadlines stand still.';
const ENDS =
  'Aborts, roll-backs and reverts pass. It ends by itself after the time that you choose, or when somebody lifts it.';

/** What rolls, or is about to: a group is one, with its runtimes. */
function underWay(rollouts: readonly OpenRollout[]): readonly string[] {
  const runs = rollouts.filter(({ phase, isAbandoned }) => phase !== 'waiting' && !isAbandoned);
  const ids = new Set(runs.map(({ rolloutId }) => rolloutId));
  return runs.filter(({ parent }) => parent === null || !ids.has(parent)).map(nameOfRollout);
}

function beginNoMore(names: readonly string[]): string {
  if (names.length === 0) return 'No rollout is under way now.';
  const which =
    names.length === 1 ? '1 rollout under way begins' : `${names.length} rollouts under way begin`;
  return `${which} no further wave and no further roll: ${listNames(names)}. ${NOT_CALLED_BACK}`;
}

interface HoldOneProps {
  readonly runtimeId: string;
  readonly look: OpenRollouts;
}

/** Freezes or pauses one runtime, or one group with its runtimes. */
export function HoldOne({ runtimeId, look }: HoldOneProps) {
  const [asked, setAsked] = useState<'freeze' | 'pause' | null>(null);
  const [done, setDone] = useState('');
  const isGroup = groupNameOf(runtimeId) !== null;
  const own = look.rollouts.filter((one) => one.runtimeId === runtimeId);
  const ids = new Set(own.map(({ rolloutId }) => rolloutId));
  const names = underWay([...own, ...look.rollouts.filter(({ parent }) => ids.has(parent ?? ''))]);
  const what = `${plainText(runtimeId)}${isGroup ? ' and its runtimes' : ''}`;
  const says = {
    freeze: [
      `Nothing starts on ${what}, whoever or whatever asks for it: it waits, or is refused, as its policy says.`,
      names.length === 0
        ? 'Nothing is under way there now.'
        : `What is under way goes on, unless its policy lets windows bind rolls: ${listNames(names)}.`,
      ENDS,
    ],
    pause: [`What begins on ${what} rolls nothing.`, beginNoMore(names), ENDS],
  };
  const isHeld = (kind: 'freeze' | 'pause') =>
    look.holds.some(
      ({ kinds, scope }) =>
        kinds.includes(kind) && scope.runtimeId === runtimeId && scope.rolloutId === undefined,
    );
  return (
    <div class="line">
      {(['freeze', 'pause'] as const)
        .filter((kind) => !isHeld(kind))
        .map((kind) => (
          <button key={kind} type="button" onClick={() => setAsked(kind)}>
            {capitalized(kind)} …
          </button>
        ))}
      <DoneLine text={done} />
      {asked !== null && (
        <HoldDialog
          title={`${capitalized(asked)} ${plainText(runtimeId)}`}
          asked={{ kinds: [asked], runtimeId }}
          look={look}
          says={says[asked]}
          seconds={2 * HOUR}
          onEnd={(end) => {
            setAsked(null);
            if (end !== null) setDone(end.message);
          }}
        />
      )}
    </div>
  );
}

/** Freezes and pauses everything, with one id. */
export function StopTheLine({ look }: { readonly look: OpenRollouts }) {
  const [isAsked, setAsked] = useState(false);
  const [done, setDone] = useState('');
  const says = [
    'Nothing starts, whoever or whatever asks for it.',
    beginNoMore(underWay(look.rollouts)),
    ENDS,
  ];
  return (
    <div class="line">
      {!look.holds.some(isLine) && (
        <button type="button" class="danger-quiet" onClick={() => setAsked(true)}>
          Stop the line …
        </button>
      )}
      <DoneLine text={done} />
      {isAsked && (
        <HoldDialog
          title="Stop the line"
          asked={{ kinds: ['freeze', 'pause'] }}
          look={look}
          says={says}
          seconds={2 * HOUR}
          onEnd={(end) => {
            setAsked(false);
            if (end !== null) setDone(end.message);
          }}
        />
      )}
    </div>
  );
}
