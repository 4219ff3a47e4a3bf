import * as z from 'zod';
import type { Webhook } from '../../contract/config/webhooks.ts';
import type { LifecycleEvent } from '../../contract/event.ts';
import { LIFECYCLE_SOURCE } from '../../domain/trigger/release.ts';
import { nextSteps } from './next-steps.ts';

/** An event in the form of the event bus on AWS, as JSON. */
export function toBusText({ detailType, detail }: LifecycleEvent): string {
  return JSON.stringify({ source: LIFECYCLE_SOURCE, 'detail-type': detailType, detail });
}

const told = z.object({
  'detail-type': z.string(),
  detail: z.looseObject({ message: z.string() }),
});

/**
 * What a webhook gets of an event.
 *
 * @param busText The event, from `toBusText`.
 */
export function webhookBody(format: Webhook['format'], busText: string): string {
  if (format === 'json') return busText;
  const { 'detail-type': detailType, detail } = told.parse(JSON.parse(busText));
  const [step] = nextSteps({ detailType, detail });
  return JSON.stringify(FOR_PEOPLE[format](detail.message, step?.command ?? ''));
}

const FOR_PEOPLE: Readonly<
  Record<Exclude<Webhook['format'], 'json'>, (sentence: string, command: string) => object>
> = {
  /** https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks */
  slack(sentence, command) {
    const text = escapeForSlack(sentence);
    const code = `\`${escapeForSlack(command)}\``;
    return {
      // It is shown where blocks are not, such as in the notification of a telephone.
      text: `${text} ${code}`,
      blocks: [
        // Plain text, because names of endpoints may look like formatting.
        { type: 'section', text: { type: 'plain_text', text, emoji: false } },
        { type: 'section', text: { type: 'mrkdwn', text: code } },
      ],
    };
  },
  /** An Adaptive Card, as the workflows of Teams take it. Its rich text has no Markdown, so names cannot look like it. */
  teams: (sentence, command) => ({
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          body: [richText({ text: sentence }), richText({ text: command, fontType: 'Monospace' })],
        },
      },
    ],
  }),
};

function richText(run: { readonly text: string; readonly fontType?: string }) {
  return { type: 'RichTextBlock', inlines: [{ type: 'TextRun', ...run }] };
}

/** Slack makes mentions and links of what stands between `<` and `>`. */
function escapeForSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
