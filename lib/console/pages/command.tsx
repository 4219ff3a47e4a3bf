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
      <pre>{text}</pre>
      <button type="button" onClick={copy} aria-label={`Copy ${called}`}>
        Copy
      </button>
      <span role="status">{said}</span>
    </div>
  );
}
