import { plainText } from '../../telling/text.ts';
import type { OpenRollout, OpenRollouts, ToldRollout } from '../desk.ts';
import { Badge, stateOfEnded, stateOfOpen } from './badge.tsx';
import { rolloutPath } from './route.ts';

/** So many runtimes of a group are named where it says what they want. */
const MOST_WANTING = 3;

/** The ways to the runtimes of a group that want something of people. */
export function WantingChildren({
  of,
  look,
}: {
  readonly of: OpenRollout;
  readonly look: OpenRollouts | null;
}) {
  const wanting = look?.rollouts.filter(
    ({ parent, wants }) => parent === of.rolloutId && wants.length > 0,
  );
  if (of.isAbandoned || wanting === undefined || wanting.length === 0) return null;
  return (
    <p class="acting">
      {wanting.slice(0, MOST_WANTING).map(({ rolloutId, runtimeId }) => (
        <a key={rolloutId} class="button main" href={rolloutPath(rolloutId)}>
          Go to {plainText(runtimeId)}
        </a>
      ))}
    </p>
  );
}

type Child = ToldRollout['report']['children'][number];

interface ChildrenProps {
  readonly runtimes: readonly Child[];
  readonly look: OpenRollouts | null;
}

/** Those that went well come last, and folded. */
const ORDER: readonly (string | null)[] = [
  'Failed',
  'Errored',
  'Refused',
  'Aborted',
  'Superseded',
  null,
];

/** The rollouts of the runtimes of a group: first what is stuck now, then what has failed. */
export function Children({ runtimes, look }: ChildrenProps) {
  if (runtimes.length === 0) return null;
  const known = runtimes.map((child) => ({
    child,
    open: look?.rollouts.find((one) => one.rolloutId === child.rolloutId),
  }));
  const rankOf = ({ child, open }: (typeof known)[number]) =>
    open !== undefined && open.wants.length > 0 ? -1 : ORDER.indexOf(child.outcome);
  const inOrder = known.toSorted((a, b) => rankOf(a) - rankOf(b));
  const [well = [], others = []] = [true, false].map((isWell) =>
    inOrder.filter(({ child }) => (child.outcome === 'Succeeded') === isWell),
  );
  const toRow = (one: (typeof known)[number]) => <ChildRow key={one.child.rolloutId} {...one} />;
  return (
    <section aria-labelledby="children">
      <h2 id="children">Rollouts of its runtimes</h2>
      {others.length > 0 && <div class="rows">{others.map(toRow)}</div>}
      {well.length > 0 && (
        <details>
          <summary>{well.length} succeeded</summary>
          <div class="rows">{well.map(toRow)}</div>
        </details>
      )}
    </section>
  );
}

interface ChildRowProps {
  readonly child: Child;
  readonly open: OpenRollout | undefined;
}

function ChildRow({ child, open }: ChildRowProps) {
  const { rolloutId, runtimeId, outcome, message, reason, revert } = child;
  const says = outcome === null ? (open?.state ?? 'Under way') : plainText(message ?? '');
  const ended = stateOfEnded({ outcome, reason, revert, failure: null });
  return (
    <div class="row">
      <span class="mark">
        <Badge {...(open ? stateOfOpen(open) : ended)} />
      </span>
      <div class="what">
        <a href={rolloutPath(rolloutId)}>{plainText(runtimeId)}</a>
        <p class="state" title={says}>
          {says}
        </p>
      </div>
    </div>
  );
}
