import { type LifecycleEvent, shorten } from '../../contract/event.ts';
import { nextSteps } from './next-steps.ts';

/** Characters. The integration takes 250, and 350 of a step, in which a command of ours has room. */
const LONGEST_TITLE = 250;
const LONGEST_STEP = 350;

/**
 * The event as a message for AWS's chat integration, Amazon Q Developer in chat applications:
 * https://docs.aws.amazon.com/chatbot/latest/adminguide/custom-notifs.html
 * All messages of a rollout are one thread, if the channel's preferences allow threads.
 *
 * @param engine Arguments with which a command finds the rollout.
 */
export function chatMessage(event: LifecycleEvent, engine: string) {
  const { detailType, detail } = event;
  const { eventId, rolloutId, runtimeId, holdId, scope, message } = detail;
  const what = holdId === undefined ? runtimeId : scope;
  const title = (text: string) => shorten(plainInChat(text), LONGEST_TITLE);
  return {
    version: '1.0',
    source: 'custom',
    id: String(eventId),
    content: {
      textType: 'client-markdown',
      title: title(`${detailType}: ${what}`),
      description: shorten(plainInChat(message)),
      nextSteps: nextSteps(event, engine).map(({ purpose, command }) =>
        shorten(`${purpose}: \`${plainInCode(command)}\``, LONGEST_STEP),
      ),
    },
    metadata: {
      threadId: String(rolloutId ?? holdId),
      summary: title(holdId === undefined ? `Rollout of ${what}` : `Hold of ${what}`),
      eventType: detailType,
    },
  };
}

/**
 * The title, the text and the steps are Markdown of Slack or of Teams, and the integration makes mentions of what
 * begins with `@`. The two have no way in common to escape a character, so those that mean something become others
 * that look alike.
 */
function plainInChat(text: string): string {
  return plainInCode(text)
    .replaceAll(/[*~\\]/g, (character) => ALIKE[character] ?? '')
    .replaceAll(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, 'ˍ')
    .replaceAll('](', '] (')
    .replaceAll(/:(?=[\w+-]+:)/g, '∶')
    .replace(/^\s*(?=[#+=-]|\d+[.)])/, '\u200B');
}

/** The same between backticks, where less means something. The ids of rollouts stay as they are. */
function plainInCode(text: string): string {
  return text.replaceAll(/[`<>&@]/g, (character) => ALIKE[character] ?? '');
}

const ALIKE: Readonly<Record<string, string>> = {
  '`': 'ˋ',
  '<': '‹',
  '>': '›',
  '&': '＆',
  '@': '＠',
  '*': '∗',
  '~': '∼',
  '\\': '⧵',
};
