import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

let isFirst = true;

/** The heading of a page. It gets the focus, so that a keyboard and a screen reader begin at the new page. */
export function Title({
  text,
  children,
}: {
  readonly text: string;
  readonly children?: ComponentChildren;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${text} · steproll`;
  }, [text]);
  useEffect(() => {
    // At the first page the browser's own order begins at the top.
    if (!isFirst) heading.current?.focus();
    isFirst = false;
  }, []);
  return (
    <h1 ref={heading} tabIndex={-1}>
      {children ?? text}
    </h1>
  );
}
