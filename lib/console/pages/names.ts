import { describeStarter } from '../../domain/rollout/request.ts';
import { plainText } from '../../telling/text.ts';
import type { ListedRollout } from '../../telling/view/listed.ts';
import type { Want } from '../../telling/view/rollout-view.ts';

/** Who or what started it. */
export function starterOf({ startedBy }: Pick<ListedRollout, 'startedBy'>): string {
  return plainText(describeStarter(startedBy));
}

/** `To try again` as what one may do: `Try again`. */
export function imperative(text: string): string {
  return text.replace(/^To (.)/, (_, first: string) => first.toUpperCase());
}

/** A sentence is easier to read on a line of its own. Some words of a service are cut, too: nothing of them is left out. */
export function sentencesOf(text: string): readonly string[] {
  return text.split(/(?<=[.!?]) (?=[A-Z0-9])/);
}

/** What is wanted of people, without the approval that the state beside it names already. */
export function sentencesIn(wants: readonly Want[]): readonly string[] {
  return wants
    .filter(({ kind }) => kind !== 'approval')
    .map(({ kind, says }) => says + BY_BUTTON[kind]);
}

/** What helps, where a button stands for the commands. */
const BY_BUTTON: Readonly<Record<Want['kind'], string>> = {
  news: '',
  approval: '',
  death: ' Nothing goes on until somebody resumes it.',
  silence: ' Where its process has died, nothing goes on until somebody resumes it.',
  stuck: ' An abort ends it now.',
  hold: '',
};
