import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { FATES, type Fate } from '../../domain/ending/fate.ts';
import { nameOf } from '../../domain/sentences.ts';
import { plainText } from '../../telling/text.ts';
import { reasonInWords } from '../../telling/words/fates.ts';
import type { ToldRollout } from '../desk.ts';
import { Cut } from './cut.tsx';
import { faultInLife, furthestBehind, sinceInWords } from './endpoint-life.ts';
import { News } from './news.tsx';
import { rolloutPath } from './route.ts';

type Endpoint = ToldRollout['report']['endpoints'][number];

interface GridProps {
  readonly story: Pick<ToldRollout, 'report' | 'fates'>;
  /** What the rollout rolls: `endpoint` or `runtime`. */
  readonly noun: string;
}

/**
 * Every endpoint of the plan as a cell, in the order of the plan, each wave in rows of its own. The arrow keys walk
 * through them, and the one that is chosen is told below in words: at first the one that wants people the most.
 */
export function EndpointGrid({ story, noun }: GridProps) {
  const { endpoints } = story.report;
  const canvas = useRef<HTMLCanvasElement>(null);
  const [width, setWidth] = useState(0);
  const [picked, setPicked] = useState<number | null>(null);
  const chosen = picked ?? furthestBehind(endpoints);
  const layout = useMemo(() => layOut(endpoints, width), [endpoints, width]);
  useEffect(() => {
    const watched = canvas.current?.parentElement;
    if (watched == null) return;
    const observer = new ResizeObserver(() => setWidth(watched.clientWidth));
    observer.observe(watched);
    return () => observer.disconnect();
    // Before there is a plan, there is nothing to draw on.
  }, [endpoints.length === 0]);
  useEffect(() => {
    const redraw = () => canvas.current && draw(canvas.current, endpoints, layout, chosen);
    redraw();
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    scheme.addEventListener('change', redraw);
    return () => scheme.removeEventListener('change', redraw);
  }, [endpoints, width, chosen]);
  const endpoint = endpoints[Math.min(chosen, endpoints.length - 1)];
  if (endpoint === undefined) return null;
  const child = story.report.children.findLast((one) => one.runtimeId === endpoint.endpointId);
  const choose = (place: number) => setPicked(Math.min(Math.max(place, 0), endpoints.length - 1));
  const atPointer = ({ offsetX, offsetY }: PointerEvent) => {
    const place = layout.cells.findIndex(({ x, y }) => isIn(offsetX, x) && isIn(offsetY, y));
    if (place >= 0) choose(place);
  };
  const isIn = (at: number, from: number) => at >= from && at < from + layout.pitch;
  return (
    <div class="grid">
      <canvas
        ref={canvas}
        role="slider"
        tabIndex={0}
        aria-label={`The ${noun} that is told below`}
        aria-valuemin={1}
        aria-valuemax={endpoints.length}
        aria-valuenow={chosen + 1}
        aria-valuetext={describe(endpoint, story)}
        onPointerMove={atPointer}
        onPointerDown={atPointer}
        onKeyDown={(event) => {
          const step = stepsOf(layout.columns)[event.key];
          if (step === undefined) return;
          event.preventDefault();
          choose(chosen + step);
        }}
      />
      <p class="chosen">
        <Cut text={describe(endpoint, story)} />
      </p>
      {child !== undefined && (
        <p>
          <a href={rolloutPath(child.rolloutId)}>The rollout of {nameOfEndpoint(endpoint)}</a>
        </p>
      )}
      <Life endpoint={endpoint} writes={story.report.writes} />
    </div>
  );
}

function stepsOf(columns: number): Readonly<Record<string, number>> {
  return {
    ArrowRight: 1,
    ArrowLeft: -1,
    ArrowDown: columns,
    ArrowUp: -columns,
    PageDown: 10 * columns,
    PageUp: -10 * columns,
    Home: Number.NEGATIVE_INFINITY,
    End: Number.POSITIVE_INFINITY,
  };
}

/** What was written to the endpoint, and what came back. */
function Life({
  endpoint: { endpointId },
  writes,
}: {
  readonly endpoint: Endpoint;
  readonly writes: ToldRollout['report']['writes'];
}) {
  const all = writes.filter((write) => write.endpointId === endpointId);
  // What came of an intention says that there was one.
  const own = all.filter(
    ({ operation, result }, place) =>
      result !== 'intended' || all[place + 1]?.operation !== operation,
  );
  if (own.length === 0) return <p class="minor">Nothing was written to it.</p>;
  const lines = own.map(({ at, operation, result, reason, message }) => {
    const why = reason === null || result === 'accepted' ? '' : `: ${reasonInWords(reason)}`;
    const said = message === null ? '' : `. ${message}`;
    return { at: Date.parse(at), text: plainText(`${operation}, ${RESULTS[result]}${why}${said}`) };
  });
  return <News lines={lines} label="What was written to it" />;
}

const RESULTS: Readonly<Record<ToldRollout['report']['writes'][number]['result'], string>> = {
  intended: 'noted before it is sent',
  accepted: 'accepted',
  rejected: 'refused',
  unknown: 'without an answer',
  kept: 'kept back',
  'not-sent': 'not sent',
};

export function nameOfEndpoint(
  endpoint: Pick<Endpoint, 'name' | 'endpointId' | 'sharesName'>,
): string {
  return plainText(nameOf(endpoint));
}

/** `endpoint-03, wave 2 of 3: stopped (in-mid-roll), unchanged since …; version before: 2`. */
function describe(endpoint: Endpoint, story: GridProps['story']): string {
  const { wave, previousVersion } = endpoint;
  const since = sinceInWords(endpoint);
  const waves = story.report.waves.length;
  const before = previousVersion === null ? 'not known' : `${previousVersion}`;
  const fault = endpoint.fate === 'back' ? faultInLife(endpoint) : null;
  const culprit = fault === null ? '' : ` (${fault})`;
  return `${nameOfEndpoint(endpoint)}, wave ${wave} of ${waves}: ${fateInWords(endpoint, story)}${culprit}${since === '' ? '' : `, ${since}`}; version before: ${before}`;
}

export function fateInWords(
  { fate, reason, statusReason }: Pick<Endpoint, 'fate' | 'reason' | 'statusReason'>,
  { fates }: Pick<ToldRollout, 'fates'>,
): string {
  const own = fates.find(
    (one) => one.fate === fate && one.reason === reason && one.statusReason === statusReason,
  );
  return own?.words ?? fate;
}

interface Layout {
  /** Pixels from one cell to the next. */
  readonly pitch: number;
  readonly columns: number;
  readonly height: number;
  readonly cells: readonly { readonly x: number; readonly y: number }[];
}

const LARGEST = 24;
const SMALLEST = 4;
/** A grid that fits into so many pixels is seen at once. */
const HIGHEST = 320;
const BETWEEN_WAVES = 6;

/** The largest cells with which the grid is not too high. */
function layOut(endpoints: readonly Endpoint[], width: number): Layout {
  const waves = [...Map.groupBy(endpoints, ({ wave }) => wave).values()].map((wave) => wave.length);
  const columnsWith = (pitch: number) => Math.max(1, Math.floor(width / pitch));
  const heightWith = (pitch: number) =>
    waves.reduce(
      (sum, count) => sum + Math.ceil(count / columnsWith(pitch)) * pitch + BETWEEN_WAVES,
      -BETWEEN_WAVES,
    );
  let pitch = LARGEST;
  while (pitch > SMALLEST && heightWith(pitch) > HIGHEST) pitch -= 1;
  const columns = columnsWith(pitch);
  let top = 0;
  const cells = waves.flatMap((count) => {
    const y = top;
    top += Math.ceil(count / columns) * pitch + BETWEEN_WAVES;
    return Array.from({ length: count }, (_, place) => ({
      x: (place % columns) * pitch,
      y: y + Math.floor(place / columns) * pitch,
    }));
  });
  return { pitch, columns, height: heightWith(pitch), cells };
}

/** A cross says the same without the colour. */
const CROSSED: ReadonlySet<Fate> = new Set(['refused', 'lost', 'not-back', 'stopped']);
const CROSS_FROM = 8;

function draw(
  canvas: HTMLCanvasElement,
  endpoints: readonly Endpoint[],
  { pitch, height, cells }: Layout,
  chosen: number,
): void {
  const width = canvas.parentElement?.clientWidth ?? 0;
  const ratio = devicePixelRatio;
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  canvas.style.height = `${height}px`;
  const context = canvas.getContext('2d');
  if (context === null) return;
  context.scale(ratio, ratio);
  // The style sheet knows the colour of each fate.
  const colourOf = (look: string) => {
    canvas.className = look;
    return getComputedStyle(canvas).color;
  };
  const colours = new Map(FATES.map((fate) => [fate, colourOf(fate)]));
  const cross = colourOf('cross');
  const marked = new Set(
    endpoints.flatMap((one, place) => (faultInLife(one) === null ? [] : [place])),
  );
  const size = pitch - (pitch > CROSS_FROM ? 2 : 1);
  endpoints.forEach(({ fate }, place) => {
    const { x = 0, y = 0 } = cells[place] ?? {};
    context.fillStyle = colours.get(fate) ?? '';
    context.fillRect(x, y, size, size);
    const isMarked = CROSSED.has(fate) || (fate === 'back' && marked.has(place));
    if (pitch < CROSS_FROM || !isMarked) return;
    context.strokeStyle = cross;
    context.lineWidth = 1.5;
    context.beginPath();
    context.moveTo(x + 3, y + 3);
    context.lineTo(x + size - 3, y + size - 3);
    context.moveTo(x + size - 3, y + 3);
    context.lineTo(x + 3, y + size - 3);
    context.stroke();
  });
  const { x = 0, y = 0 } = cells[chosen] ?? {};
  context.strokeStyle = colourOf('');
  context.lineWidth = 2;
  context.strokeRect(x + 1, y + 1, size - 2, size - 2);
}
