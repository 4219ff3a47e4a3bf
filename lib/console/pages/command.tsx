import { useContext, useState } from 'preact/hooks';
import { FreshContext } from './fresh.ts';

/** A command that does in any shell what it says, with a button that copies it. */
export function Command({ line }: { readonly line: string }) {
  const { look } = useContext(FreshContext);
  const [said, setSaid] = useState('');
  const whole = `${look?.shell ?? ''}${line}`;
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(whole);
      setSaid('Copied');
    } catch {
      setSaid('Mark it, and copy it yourself');
    }
  };
  return (
    <div class="command">
      <pre>{whole}</pre>
      <button type="button" onClick={copy} aria-label={`Copy ${line}`}>
        Copy
      </button>
      <span role="status">{said}</span>
    </div>
  );
}
