import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Done } from '../desk.ts';
import { Cut } from './cut.tsx';
import { Trouble } from './trouble.tsx';

interface DialogProps {
  /** What is done, without its question mark. */
  readonly title: string;
  /** How the button looks that does it. */
  readonly look: 'main' | 'danger' | 'way-back';
  /** What it will do, and what has to be said for it. */
  readonly children: ComponentChildren;
  readonly mustSayWhy?: boolean;
  /** @param key Of this dialog, so that whatever it asks for is done once. */
  readonly send: (reason: string, key: string) => Promise<Done>;
  /** @param end What was done. `null`: the person has thought better of it. */
  readonly onEnd: (end: Done | null) => void;
}

/** A question before something is done: it says first what will happen. */
export function Dialog({ title, look, children, mustSayWhy = false, send, onEnd }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [reason, setReason] = useState('');
  const [fault, setFault] = useState<string | null>(null);
  const [isSent, setSent] = useState(false);
  const [key] = useState(() => crypto.randomUUID());
  // A key that is held comes again before the page is drawn anew.
  const isBusy = useRef(false);
  // At once, and not after the next paint: a key that is pressed meanwhile would go to the button that led here.
  useLayoutEffect(() => dialog.current?.showModal(), []);
  const submit = async (event: Event) => {
    event.preventDefault();
    if (isBusy.current) return;
    isBusy.current = true;
    setFault(null);
    setSent(true);
    try {
      onEnd(await send(reason, key));
    } catch (error) {
      setFault(error instanceof Error ? error.message : String(error));
      setSent(false);
      isBusy.current = false;
    }
  };
  return (
    <dialog ref={dialog} aria-labelledby="question" onClose={() => onEnd(null)}>
      <form onSubmit={submit}>
        <h2 id="question">{title}?</h2>
        {children}
        <div class="field">
          <label for="reason">Reason, for the history{mustSayWhy ? '' : ' (may be empty)'}</label>
          <textarea
            id="reason"
            rows={2}
            maxLength={1_000}
            required={mustSayWhy}
            value={reason}
            onInput={(event) => setReason(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' || event.shiftKey) return;
              event.preventDefault();
              event.currentTarget.form?.requestSubmit();
            }}
          />
        </div>
        <Trouble fault={fault} />
        <div class="buttons">
          <button type="submit" class={look} disabled={isSent}>
            {title}
          </button>
          <button type="button" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
          <span role="status">{isSent ? 'Asking the console …' : ''}</span>
        </div>
      </form>
    </dialog>
  );
}

export interface Choice<T extends string | number> {
  readonly value: T;
  readonly title: string;
  /** What it means, in sentences. */
  readonly says?: string;
}

/** One of several, each with what it means beside it. */
export function Choices<T extends string | number>({
  legend,
  choices,
  value,
  onChoose,
}: {
  readonly legend: string;
  readonly choices: readonly Choice<T>[];
  readonly value: T;
  readonly onChoose: (value: T) => void;
}) {
  return (
    <fieldset>
      <legend>{legend}</legend>
      {choices.map((one) => (
        <label key={one.value} class="choice">
          <input
            type="radio"
            name={legend}
            checked={one.value === value}
            onChange={() => onChoose(one.value)}
          />
          <span>
            <strong>{one.title}</strong>
            {one.says !== undefined && <span>{one.says}</span>}
          </span>
        </label>
      ))}
    </fieldset>
  );
}

interface DoneProps {
  readonly text: string;
  /** What was done. @default - the text says it */
  readonly of?: unknown;
}

/** What was done just now. It gets the focus, because the button that led here may be gone. */
export function DoneLine({ text, of = text }: DoneProps) {
  const line = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    if (text !== '') line.current?.focus();
  }, [of]);
  return (
    <p class="done" ref={line} role="status" tabIndex={-1}>
      <Cut text={text} />
    </p>
  );
}
