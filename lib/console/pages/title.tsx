import { useContext, useEffect, useRef } from 'preact/hooks';
import type { Tone } from './badge.tsx';
import { Cut } from './cut.tsx';
import { StaleContext } from './stale.tsx';

let isFirst = true;

/** The icons that say more than that this is steproll. */
const ICONS: Readonly<Partial<Record<Tone, string>>> = {
  wants: 'wants',
  bad: 'bad',
  rolling: 'rolling',
  baking: 'rolling',
  'way-back': 'rolling',
};

interface TitleProps {
  readonly text: string;
  /** What the tab says before that. @default - nothing */
  readonly state?: string;
  /** What the icon of the tab shows. @default - nothing */
  readonly tone?: Tone | undefined;
}

/** The heading of a page. It gets the focus, so that a keyboard and a screen reader begin at the new page. */
export function Title({ text, state = '', tone }: TitleProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const isStale = useContext(StaleContext);
  const before = isStale ? 'No answer' : state;
  const icon = isStale ? undefined : tone && ICONS[tone];
  useEffect(() => {
    document.title = `${before === '' ? '' : `${before} · `}${text} · steproll`;
  }, [text, before]);
  useEffect(() => {
    const link = document.querySelector<HTMLLinkElement>('link[rel=icon]');
    if (link !== null) link.href = icon === undefined ? '/icon.svg' : `/icon-${icon}.svg`;
  }, [icon]);
  useEffect(() => {
    // At the first page the browser's own order begins at the top.
    if (!isFirst) heading.current?.focus({ preventScroll: true });
    isFirst = false;
  }, []);
  return (
    <h1 ref={heading} tabIndex={-1}>
      <Cut text={text} />
    </h1>
  );
}
