import { useEffect, useRef, useState } from 'preact/hooks';
import { plainText } from '../../telling/text.ts';
import type { OpenRollout, OpenRollouts } from '../desk.ts';

interface AnnouncerProps {
  readonly look: OpenRollouts;
  /** The rollouts of the page. `null`: it shows all, and only what wants people is told. */
  readonly rollouts: ((one: OpenRollout) => boolean) | null;
}

interface Known {
  readonly name: string;
  readonly said: string;
  readonly wants: string;
}

/** Says to a screen reader what has happened on its page, once. Countdowns are no news. */
export function Announcer({ look, rollouts }: AnnouncerProps) {
  const known = useRef<ReadonlyMap<string, Known> | null>(null);
  const [text, setText] = useState('');
  const latest = new Map(
    look.rollouts
      .filter(rollouts ?? (() => true))
      .map(({ rolloutId, runtimeId, news, wait, wants }) => [
        rolloutId,
        {
          name: plainText(runtimeId),
          said: news[0]?.text ?? wait?.of ?? 'a rollout is accepted.',
          wants: wants[0]?.says ?? '',
        },
      ]),
  );
  useEffect(() => {
    const before = known.current;
    known.current = latest;
    if (before === null) return;
    const what = rollouts === null ? 'wants' : 'said';
    const ends = [...before]
      .filter(([id]) => rollouts !== null && !latest.has(id))
      .map(([, { name }]) => `${name}: a rollout has ended.`);
    // A group asks for its runtimes, which are heard themselves.
    const repeats = [...latest.values()].map(({ name, wants }) => `${name}: ${wants}`);
    const news = [...latest]
      .filter(([id, one]) => one[what] !== '' && (before.get(id)?.[what] ?? '') !== one[what])
      .filter(([, one]) => !repeats.includes(one[what]))
      .map(([, one]) => `${one.name}: ${one[what]}`);
    if (news.length + ends.length > 0) setText([...ends, ...news].join(' '));
  }, [look]);
  return (
    <p class="heard" role="status">
      {text}
    </p>
  );
}
