import { clockTime, dayOf } from '../../domain/local-time.ts';

interface NewsProps {
  /** In order. Times are milliseconds since the Unix epoch. */
  readonly lines: readonly { readonly at: number; readonly text: string; readonly kind?: string }[];
  /** @default - the heading above says it */
  readonly label?: string;
}

/** What happened when, in UTC. Each day is told once. */
export function News({ lines, label }: NewsProps) {
  return (
    <ol class="news" aria-label={label}>
      {lines.map(({ at, text, kind }, place) => (
        <li key={`${at} ${text}`} class={kind}>
          {dayOf(at) !== dayOf(lines[place - 1]?.at ?? 0) && <span class="day">{dayOf(at)}</span>}
          <time dateTime={new Date(at).toISOString()}>{clockTime(at)}</time> {text}
        </li>
      ))}
    </ol>
  );
}
