import type { KeepReason } from './decide-stop.ts';

/** Why a stop was kept back: what the list has shown, or who came before it. */
export type WhyKept = KeepReason | 'aborted' | 'gave-way';

/** Why an endpoint was not stopped, in words for people. Only programs see the reason itself. */
const KEPT_BECAUSE: Readonly<Record<WhyKept, string>> = {
  'not-rolled': 'nothing was rolled there',
  'never-seen-moving': 'no list has shown the roll',
  vanished: 'gone from the list',
  'went-live': 'the version is live there',
  'live-unknown': 'the list does not say what is live there',
  moved: 'moved meanwhile, and not by this rollout',
  'stopped-already': 'stopped already',
  recovering: 'on its way again',
  protected: 'protected by the policy',
  'min-serving': 'too few others serve',
  'list-unreadable': 'the list could not be read',
  'cannot-stop': 'its service cannot stop any',
  aborted: 'an abort came before it',
  'gave-way': 'a newer rollout goes on with it',
};

/** A reason that a newer steproll has written is shown as it is. */
export function keptBecause(reason = 'no reason was written down'): string {
  return Object.hasOwn(KEPT_BECAUSE, reason) ? KEPT_BECAUSE[reason as WhyKept] : reason;
}
