import { useContext, useState } from 'preact/hooks';
import { FreshContext } from './fresh.ts';

/** A command that does in any shell what it says, with a button that copies it. */
export function Command({ line }: { readonly line: string }) {
  const { look } = useContext(FreshContext);
  return <ToCopy text={`${look?.shell ?? ''}${line}`} called={line} />;
}

interface ToCopyProps {
  readonly text: string;
  /** What it is, for people who do not see it. */
  readonly called: string;
}

export function ToCopy({ text, called }: ToCopyProps) {
  const [said, setSaid] = useState('');
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setSaid('Copied');
    } catch {
      setSaid('Mark it, and copy it yourself');
    }
  };
  return (
    <div class="command">
      {text.includes('\n') ? <LongText text={text} called={called} /> : <pre>{text}</pre>}
      <button type="button" onClick={copy} aria-label={`Copy ${called}`}>
        Copy
      </button>
      <span role="status">{said}</span>
    </div>
  );
}

/** What may be higher than the screen scrolls by itself, so that what comes after it can be seen. */
function LongText({ text, called }: ToCopyProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: whoever has no pointer scrolls it with the keys.
    <section class="long" tabIndex={0} aria-label={called}>
      <pre>{text}</pre>
    </section>
  );
}
