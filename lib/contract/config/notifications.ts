import * as z from 'zod';
import { eventKindsSchema, webhooksSchema } from './webhooks.ts';

const MOST_EMAILS = 20;

/** Who gets messages about rollouts: webhooks on one machine, a topic on AWS, which alarms go to as well. */
export const notificationsSchema = z
  .strictObject({
    emails: z
      .array(z.email('use an email address'))
      .max(MOST_EMAILS)
      .optional()
      .describe('Addresses that subscribe to the topic. Each has to confirm once.'),
    topicArn: z
      .string()
      .regex(
        /^arn:aws[a-z-]*:sns:[a-z0-9-]+:\d{12}:[\w-]{1,256}$/,
        'use the ARN of an SNS topic that is not a FIFO topic',
      )
      .optional()
      .describe(
        'ARN of your own topic, in the region of the stack. Default: the stack has its own.',
      ),
    chat: z
      .boolean()
      .optional()
      .describe(
        "On AWS: whether the stack has a further topic, for AWS's chat integration; see docs/notifications.md. Default: false.",
      ),
    events: eventKindsSchema
      .optional()
      .describe(
        'On AWS: kinds of events that are told. Default: those that a person may have to act on; see docs/notifications.md.',
      ),
    webhooks: webhooksSchema.optional(),
  })
  .check(({ value, issues }) => {
    if (value.emails === undefined || value.topicArn === undefined) return;
    issues.push({
      code: 'custom',
      path: ['emails'],
      input: value.emails,
      message: 'subscribe them to the topic that topicArn names',
    });
  });
/** On AWS. */
export type Notifications = Omit<z.infer<typeof notificationsSchema>, 'webhooks'>;
