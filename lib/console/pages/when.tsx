import { dateTime } from '../../domain/local-time.ts';
import { describeAge } from '../../telling/text.ts';
import { useNow } from './fresh.ts';

/** A past time as its age, with the exact time behind it. Milliseconds since the Unix epoch. */
export function When({ at }: { readonly at: number }) {
  const now = useNow();
  const exact = dateTime(at);
  return (
    <time dateTime={new Date(at).toISOString()} title={exact}>
      {now === null ? exact : describeAge(at, now)}
    </time>
  );
}
