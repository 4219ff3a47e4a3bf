import * as z from 'zod';
import { seconds, word, words } from '../parsing/checks.ts';

/** A pattern `*.*` would match any host. */
const hostPattern = word.regex(
  /(^|\.)[^.*]+$/,
  'use a host, or a pattern that ends in a fixed part: *.example.com',
);

const probe = z.strictObject({
  path: z
    .string()
    .regex(/^\/[\x21-\x7e]*$/, 'use a path that starts with /')
    .describe('Path at the origin of the URL: "/healthz".'),
  status: z.int().min(200).max(599).default(200).describe('The only HTTP status that is a yes.'),
  tries: z
    .int()
    .min(1)
    .max(10)
    .default(3)
    .describe('How many requests may fail before the answer is a no.'),
  timeoutSeconds: z.int().min(1).max(30).default(5).describe('Seconds for each request.'),
  hosts: z
    .array(hostPattern)
    .min(1)
    .max(1_000)
    .describe('Hosts that may be asked; * stands for one part of a name, but not the last one.'),
  privateNetwork: z
    .boolean()
    .default(false)
    .describe('Whether host names may lead to private addresses or to this machine.'),
});

const approval = z.strictObject({
  timeoutSeconds: seconds.min(1).describe('How long to wait for an answer.'),
  onTimeout: z
    .enum(['approve', 'reject'])
    .default('reject')
    .describe('What happens when nobody answers in time.'),
});

/** What is checked after the bake. */
export const verification = z.strictObject({
  probe: probe.nullable().default(null).describe('A request to the URL of each endpoint.'),
  alarms: words.default([]).describe('CloudWatch alarms that must be OK.'),
  approval: approval.nullable().default(null).describe('A person has to say yes.'),
});
