import type { ComponentChildren } from 'preact';

/** What may be wider than the page. It can have the focus, so that the arrow keys scroll it. */
export function Wide({
  title,
  children,
}: {
  /** The id of the heading above it. */
  readonly title: string;
  readonly children: ComponentChildren;
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without it a keyboard could not scroll.
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields.
    <div class="scroll" role="group" aria-labelledby={title} tabIndex={0}>
      {children}
    </div>
  );
}
