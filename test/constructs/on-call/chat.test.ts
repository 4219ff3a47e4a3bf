import { describe, expect, test } from '@jest/globals';
import { Match, Template } from 'aws-cdk-lib/assertions';
import * as z from 'zod';
import { RolloutStack } from '../../../lib/constructs/rollout-stack.ts';
import { endedEvent, startedEvent } from '../../../lib/domain/events/events.ts';
import { TOLD_EVENTS, toldEventOf } from '../../../lib/domain/events/told-events.ts';
import type { Hold } from '../../../lib/domain/holds/hold.ts';
import { type HoldEvent, untoldOf } from '../../../lib/domain/holds/news.ts';
import type { RolloutEvent } from '../../../lib/domain/rollout/event.ts';
import { AT, everyEvent, OUTCOME } from '../../domain/events/examples.ts';
import { planOf, recordOf } from '../../domain/examples.ts';
import { createApp } from '../../support/create-app.ts';
import { tellOnAws } from './told.ts';

/**
 * The form that AWS's chat integration takes, and its limits, from its documentation:
 * https://docs.aws.amazon.com/chatbot/latest/adminguide/custom-notifs.html
 */
const custom = z.strictObject({
  version: z.literal('1.0'),
  source: z.literal('custom'),
  id: z.string().min(1).optional(),
  content: z.strictObject({
    textType: z.literal('client-markdown').optional(),
    title: z.string().min(1).max(250).optional(),
    description: z.string().min(1).max(8_000),
    nextSteps: z.array(z.string().min(1).max(350)).min(1).optional(),
    keywords: z.array(z.string().max(75)).optional(),
  }),
  metadata: z.strictObject({
    threadId: z.string().min(1),
    summary: z.string().min(1).optional(),
    eventType: z.string().optional(),
    relatedResources: z.array(z.string()).optional(),
    additionalContext: z.record(z.string(), z.string()).optional(),
  }),
});

const DAY = 24 * 3_600_000;
type Ending = Hold & { readonly until: number };

const EVERY = { chat: true, events: [...TOLD_EVENTS] };
const HOLD: Ending = {
  ...{ id: '4f1f9a52', kind: 'freeze', scope: {}, by: 'ann', reason: 'patching' },
  ...{ at: AT, until: AT + DAY },
};

function everyHoldEvent(hold: Ending): readonly HoldEvent[] {
  const lifted = { by: hold.by, reason: hold.reason, at: AT + 5_000 };
  return [
    ...untoldOf(hold, hold.until - 1),
    ...untoldOf({ ...hold, kind: 'pin', until: null }, AT + 8 * DAY),
    ...untoldOf({ ...hold, lifted }, AT + 6_000).slice(-1),
  ];
}

function keptOutEvent(reason = 'LeaseHeld'): RolloutEvent {
  const outcome = { ...OUTCOME, outcome: 'Refused', cleanup: 'none', reason } as const;
  return endedEvent({ ...recordOf(), plan: null, journal: [] }, outcome, AT);
}

const ALL = [
  ...everyEvent(),
  keptOutEvent(),
  startedEvent(recordOf().request, planOf([]), AT),
  ...everyHoldEvent(HOLD),
];

test('every kind of event reaches the chat in the form that AWS takes', async () => {
  expect(new Set(ALL.map(toldEventOf))).toEqual(new Set(TOLD_EVENTS));
  const { chat } = await tellOnAws(EVERY, ALL);
  expect(chat).toHaveLength(ALL.length);
  for (const message of chat) expect(custom.parse(message)).toEqual(message);
});

test('a rollout is one thread, and each message its own', async () => {
  const two = ['rollout-1', 'rollout-2'];
  const { chat } = await tellOnAws(
    EVERY,
    two.flatMap((rolloutId) => everyEvent({ rolloutId })),
  );
  const messages = chat.map((one) => custom.parse(one));
  expect(new Set(messages.map(({ metadata }) => metadata.threadId))).toEqual(new Set(two));
  expect(new Set(messages.map(({ id }) => id)).size).toBe(messages.length);
});

test('a stack names its topic for the chat, and tells its functions how it is called', () => {
  const app = createApp({ context: { 'aws:cdk:bundling-stacks': [] } });
  const stack = new RolloutStack(app, 'Shop-prod', {
    config: {
      endpointUrl: 'https://endpoints.example.com',
      runtimes: { shop: {} },
      notifications: { chat: true },
    },
  });
  const template = Template.fromStack(stack);
  template.hasOutput('RolloutsChatTopicArn', { Value: { Ref: Match.stringLikeRegexp('Chat') } });
  const environments = Object.values(template.findResources('AWS::Lambda::Function'))
    .map(({ Properties }) => Properties.Environment?.Variables ?? {})
    .filter(({ EVENT_BUS_NAME }) => EVENT_BUS_NAME !== undefined);
  expect(environments.length).toBeGreaterThan(1);
  for (const { STACK_NAME } of environments) expect(STACK_NAME).toBe('Shop-prod');
});

describe('what to do next is a whole command', () => {
  const stepsOf = async (events: Parameters<typeof tellOnAws>[1]) => {
    const { chat } = await tellOnAws(EVERY, events, 'Shop-prod');
    return chat.flatMap((one) => custom.parse(one).content.nextSteps ?? []);
  };
  const HERE = '--engine aws --stack Shop-prod`';

  test('for each event, of the rollout or the hold', async () => {
    for (const event of ALL) {
      const id = 'hold' in event ? event.hold.id : event.rolloutId;
      const steps = await stepsOf([event]);
      expect(steps.length).toBeGreaterThan(0);
      for (const step of steps)
        expect(step).toMatch(/: `steproll [^`]+ --engine aws --stack \S+`$/);
      const isOfNone = event.kind === 'hold-lifted';
      expect(steps.some((step) => step.includes(` ${id} `))).toBe(!isOfNone);
    }
  });

  test('to approve the very wave that waits, or to reject it', async () => {
    const waiting = everyEvent({ rolloutId: 'r-7' }).filter(
      ({ kind }) => kind === 'approval-wanted',
    );
    expect(await stepsOf(waiting)).toEqual([
      expect.stringContaining(`\`steproll rollout approve r-7 --wave 1 ${HERE}`),
      expect.stringContaining(`\`steproll rollout reject r-7 --wave 1 ${HERE}`),
    ]);
  });

  test('to lift a hold', async () => {
    const steps = await stepsOf(everyHoldEvent(HOLD).slice(0, 1));
    expect(steps.join()).toMatch(/`steproll hold lift 4f1f9a52 --reason '[^'`]+' --engine aws/);
  });
});

/** Names and reasons that somebody else has chosen. */
const HOSTILE = [
  '<@U123>',
  '<!here>',
  '<!channel> now',
  '@here',
  '@SRE-Team',
  '<at>Ann</at>',
  '&lt;@U123&gt;',
  '*bold*',
  '_italic_',
  '__bold__',
  '~gone~',
  '`code`',
  '```\nblock',
  '[read](https://evil.example.com)',
  '![see](https://evil.example.com/x.png)',
  '<https://evil.example.com|read>',
  '> quote',
  '# shop',
  '- shop',
  '1. shop',
  ':fire:',
  'back\\*slash',
  'shop\u2028# heading',
  'shop \u202E7 noisrev ot\u202C',
  'shop\u2066x\u2069',
  ...['x', '<', '*', '`', '@', '_', ':a', '€', '😀'].map((one) => one.repeat(250).slice(0, 250)),
];

/** What Slack or Teams would make a mention, a link or formatting of. */
const MEANT = [
  /[<>&@`*~\\]/,
  /(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/u,
  /\]\(/,
  /:[\w+-]+:/,
  /^\s*(?:[#>+=-]|\d+[.)])/,
  /[\n\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]/u,
];

function hostileEvents(text: string) {
  const record = recordOf();
  const request = {
    ...record.request,
    runtimeId: text,
    startedBy: { kind: 'person', name: text, at: AT, reason: text } as const,
  };
  const outcome = { ...OUTCOME, reason: text, message: `${text}: ${text} said ${text}` };
  const scope = { runtimeId: text };
  return [
    startedEvent(request, planOf([1, 2]), AT),
    endedEvent({ ...record, request }, outcome, AT),
    ...everyEvent().map((event) => ({ ...event, runtimeId: text, message: `${text}: ${text}` })),
    ...everyHoldEvent({ ...HOLD, scope, by: text, reason: text }),
  ];
}

describe('names and reasons of others', () => {
  test.each(HOSTILE)('mention nobody, link nowhere and format nothing: %j', async (text) => {
    const { chat } = await tellOnAws(EVERY, hostileEvents(text));
    expect(chat.length).toBeGreaterThan(9);
    for (const one of chat) {
      const message = custom.parse(one);
      const { title = '', description, nextSteps = [] } = message.content;
      for (const shown of [title, description, message.metadata.summary ?? '']) {
        for (const meaning of MEANT) expect(shown).not.toMatch(meaning);
        expect(shown.isWellFormed()).toBe(true);
      }
      for (const step of nextSteps) expect(step).toMatch(/^[^`<>&@]+: `[^`<>&@]+`$/);
    }
  });

  test.each(['web_1', 'endpoint-07', 'shop.example.com', 'group:prod', 'überseite'])(
    'stay as they are where they mean nothing: %s',
    async (text) => {
      const { chat } = await tellOnAws(EVERY, hostileEvents(text).slice(0, 1));
      const { title, description } = custom.parse(chat[0]).content;
      expect(title).toContain(text);
      expect(description).toContain(text);
    },
  );

  test('an id of a rollout breaks no command', async () => {
    const { chat } = await tellOnAws(EVERY, everyEvent({ rolloutId: 'a`<@U1>`' }));
    for (const step of chat.flatMap((one) => custom.parse(one).content.nextSteps ?? [])) {
      expect(step).toMatch(/^[^`<>&@]+: `[^`<>&@]+`$/);
    }
  });
});

test('the chat is a further topic: the other one still gets the sentence alone', async () => {
  const { sentences } = await tellOnAws({ chat: true }, everyEvent());
  expect(sentences.length).toBeGreaterThan(0);
  for (const sentence of sentences) expect(sentence).toEqual(expect.any(String));
});

test.each(['a', '"', '\\', '\u0001', 'é', '€', '😀', '<', '*'])(
  'an event with its message is below 16 KB where every text is as long as can be: %j',
  async (character) => {
    const long = character.repeat(2_048);
    const id = character.repeat(80).slice(0, 80);
    const request = {
      ...recordOf().request,
      ...{ rolloutId: id, runtimeId: long.slice(0, 256) },
      startedBy: { kind: 'person', name: long.slice(0, 256), at: AT, reason: '' } as const,
    };
    const outcome = { ...OUTCOME, reason: long.slice(0, 256), message: long };
    const scope = { runtimeId: long.slice(0, 128), rolloutId: id };
    const { bytes } = await tellOnAws(EVERY, [
      startedEvent(request, planOf(Array(100).fill(1)), AT),
      endedEvent({ ...recordOf(), request }, outcome, AT),
      ...everyHoldEvent({ ...HOLD, scope, by: long, reason: long, after: id }),
    ]);
    expect(bytes.length).toBeGreaterThan(3);
    for (const size of bytes) expect(size).toBeLessThan(16 * 1024);
  },
);
