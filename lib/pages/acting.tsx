import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { WHAT_COUNTS } from '../cli/words/sent.ts';
import type { Done, OpenRollout, Story } from '../console/desk.ts';
import type { FailurePolicy } from '../domain/rollout/policy.ts';
import { namesWave } from '../domain/signals/signal-kind.ts';
import { PERSONAL_SIGNALS, type PersonalKind } from '../domain/signals/signals.ts';
import { goTo, rolloutPath } from './route.ts';
import { post } from './server.ts';

interface ActingProps {
  readonly story: Pick<Story, 'report' | 'containments' | 'onFailure' | 'retry' | 'happenings'>;
  /** `null`: it has ended, or nobody knows yet. */
  readonly open: Pick<OpenRollout, 'approval' | 'bakes'> | null;
}

/** The signals that people send, those that decide last, and `retry`. */
type ActName = string;

const SIGNALS = PERSONAL_SIGNALS.toReversed();

function signalOf(name: ActName): PersonalKind | undefined {
  return SIGNALS.find(({ kind }) => kind === name);
}

/** What a person may do with the rollout now. Each act says first what it will do. */
export function Acting({ story, open }: ActingProps) {
  const [asked, setAsked] = useState<Asked | null>(null);
  const [done, setDone] = useState('');
  const status = useRef<HTMLParagraphElement>(null);
  // The button that led here may be gone.
  useEffect(() => {
    if (done !== '') status.current?.focus();
  }, [done]);
  const acts = actsOf(story, open);
  if (acts.length === 0 && done === '') return null;
  return (
    <section aria-label="What you can do" class="acting">
      {acts.map((act) => (
        <button key={act.name} type="button" class={act.name} onClick={() => setAsked(act)}>
          {titleOf(act)} …
        </button>
      ))}
      <p ref={status} role="status" tabIndex={-1}>
        {done}
      </p>
      {asked !== null && (
        <Question
          {...asked}
          story={story}
          onEnd={(end) => {
            setAsked(null);
            if (end === null) return;
            setDone(end.message);
            if (end.rolloutId !== null) goTo(rolloutPath(end.rolloutId));
          }}
        />
      )}
    </section>
  );
}

function actsOf(
  { report, retry }: ActingProps['story'],
  open: ActingProps['open'],
): readonly Asked[] {
  if (report.outcome !== null) return retry === null ? [] : [{ name: 'retry', wave: null }];
  return SIGNALS.flatMap((signal): Asked[] => {
    if (!namesWave(signal)) return [{ name: signal.kind, wave: null }];
    const wave = (signal.endsBake ? open?.bakes : open?.approval?.wave) ?? null;
    return wave === null ? [] : [{ name: signal.kind, wave }];
  });
}

function titleOf({ name, wave }: Asked): string {
  const title = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  return wave === null ? title : `${title} wave ${wave}`;
}

interface Asked {
  readonly name: ActName;
  /** The wave that waited or baked when the person began, which is the one that they know. */
  readonly wave: number | null;
}

interface QuestionProps extends Asked {
  readonly story: ActingProps['story'];
  /** @param end What was done. `null`: the person has thought better of it. */
  readonly onEnd: (end: Done | null) => void;
}

function Question({ name, wave, story, onEnd }: QuestionProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const { report, containments } = story;
  const said = story.happenings.filter(({ kind }) => kind === 'signal');
  const signal = signalOf(name);
  const [policy, setPolicy] = useState(signal?.command.policy?.otherwise ?? story.onFailure);
  const [reason, setReason] = useState('');
  const [fault, setFault] = useState<string | null>(null);
  const [isSent, setSent] = useState(false);
  // At once, and not after the next paint: a key that is pressed meanwhile would go to the button that led here.
  useLayoutEffect(() => dialog.current?.showModal(), []);
  const send = async (event: Event) => {
    event.preventDefault();
    setSent(true);
    try {
      const path = `/api${rolloutPath(report.rolloutId)}/${name}`;
      const ofWave = wave !== null && { wave };
      const ofPolicy = signal?.command.policy && { onFailure: policy };
      onEnd(await post<Done>(path, { reason, ...ofWave, ...ofPolicy }));
    } catch (error) {
      setFault(error instanceof Error ? error.message : String(error));
      setSent(false);
    }
  };
  const title = titleOf({ name, wave });
  return (
    <dialog ref={dialog} aria-labelledby="question" onClose={() => onEnd(null)}>
      <form onSubmit={send}>
        <h2 id="question">{title}?</h2>
        <p>{signal?.command.consequence(containments[policy]) ?? story.retry}</p>
        {signal && said.length > 0 && (
          <p>
            Said so far: {said.map(({ text }) => text).join('; ')}. {WHAT_COUNTS}
          </p>
        )}
        {signal?.command.policy && (
          <div class="field">
            <label for="policy">What happens to the endpoints that it rolled</label>
            <select
              id="policy"
              value={policy}
              onChange={(event) => setPolicy(event.currentTarget.value as FailurePolicy)}
            >
              {Object.keys(containments).map((one) => (
                <option key={one}>{one}</option>
              ))}
            </select>
          </div>
        )}
        <div class="field">
          <label for="reason">Reason, for the history</label>
          <input
            id="reason"
            maxLength={1_000}
            value={reason}
            onInput={(event) => setReason(event.currentTarget.value)}
          />
        </div>
        {fault !== null && (
          <p class="trouble" role="alert">
            {fault}
          </p>
        )}
        <div class="buttons">
          <button type="submit" class={name} disabled={isSent}>
            {title}
          </button>
          <button type="button" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
        </div>
      </form>
    </dialog>
  );
}
