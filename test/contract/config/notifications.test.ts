import { expect, test } from '@jest/globals';
import { parseConfig } from '../../../lib/contract/config/config.ts';
import { configMistakes } from '../config-mistakes.ts';

const endpointUrl = 'https://endpoints.example.com';
const topicArn = 'arn:aws:sns:eu-central-1:123456789012:on-call';

test('nobody is told where nothing is said', () => {
  expect(parseConfig({ endpointUrl })).not.toHaveProperty('notifications');
});

test.each([
  [{}],
  [{ emails: [] }],
  [{ emails: ['on-call@example.com', 'release@example.com'] }],
  [{ topicArn }],
  [{ chat: true, events: ['failing', 'ended', 'kept-out'] }],
  [{ topicArn: 'arn:aws-us-gov:sns:us-gov-west-1:123456789012:On_call-1' }],
])('%j is kept as it was written', (notifications) => {
  expect(parseConfig({ endpointUrl, notifications }).notifications).toEqual(notifications);
});

test.each([
  [{ emails: ['on-call'] }, /^notifications\.emails\[0\]: "on-call" .*use an email address$/],
  [{ emails: 'on-call@example.com' }, /^notifications\.emails: /],
  [
    { emails: Array.from({ length: 21 }, (_, n) => `${n}@example.com`) },
    /^notifications\.emails: /,
  ],
  [{ topicArn: 'on-call' }, /^notifications\.topicArn: "on-call" .*use the ARN of an SNS topic/],
  [{ topicArn: `${topicArn}.fifo` }, /^notifications\.topicArn: .*not a FIFO topic$/],
  [{ topicArn: topicArn.replace(':sns:', ':sqs:') }, /^notifications\.topicArn: /],
  [
    { topicArn, emails: ['a@example.com'] },
    /^notifications\.emails: .*subscribe them to the topic/,
  ],
  [
    { webhooks: [{ url: 'https://hooks.example.com/T0' }] },
    /^notifications\.webhooks: .*on AWS .*EventBridge.*docs\/events\.md.*notifications\.topicArn/,
  ],
  [{ chat: 'slack' }, /^notifications\.chat: "slack" /],
  [{ events: [] }, /^notifications\.events: /],
  [
    { events: ['ended', 'LeaseHeld'] },
    /^notifications\.events\[1\]: "LeaseHeld" .*use one of .*"kept-out"/,
  ],
  [
    { email: 'on-call@example.com' },
    /^notifications\.email: unknown key \(did you mean emails\?\)$/,
  ],
])('%j is refused, with its path', (notifications, mistake) => {
  expect(configMistakes({ endpointUrl, notifications })).toEqual([expect.stringMatching(mistake)]);
});
