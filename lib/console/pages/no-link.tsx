import { useState } from 'preact/hooks';
import { printLink } from './server.ts';
import { Title } from './title.tsx';

/** @param props.why Why the link that was opened here does not help. `null`: none was opened. */
export function NoLink({ why }: { readonly why: string | null }) {
  const [said, setSaid] = useState('');
  const print = () =>
    printLink().then(
      () => setSaid('Printed: open the link that now stands in the terminal.'),
      (error: Error) => setSaid(error.message),
    );
  return (
    <>
      <Title text="This console needs its link" />
      {why !== null && (
        <p role="alert">
          <strong>{why}</strong>
        </p>
      )}
      <p>
        The terminal of <code>steproll console</code> prints a link that works once. Print one with
        this button, or with <kbd>Ctrl-\</kbd> there, and open it in this browser: then this page
        goes on, and every other one.
      </p>
      <p>
        <button type="button" onClick={print}>
          Print a link in the terminal
        </button>{' '}
        <span role="status">{said}</span>
      </p>
    </>
  );
}
