import type { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { expect, test } from '@jest/globals';
import { invokeFunction } from '../../../lib/adapters/gates/invoke-function.ts';
import { checkQuestion } from '../../support/check-question.ts';

const ARN = 'arn:aws:lambda:eu-central-1:111122223333:function:score';
const named = (name: string) => Object.assign(new Error('not so'), { name });

/** A client whose function answers so. */
function answering(answer: (signal: AbortSignal) => unknown) {
  const sent: unknown[] = [];
  const send = async ({ input }: InvokeCommand, { abortSignal }: { abortSignal: AbortSignal }) => {
    sent.push(input);
    return answer(abortSignal);
  };
  return { sent, client: { send } as unknown as Pick<LambdaClient, 'send'> };
}

const payload = (text: string) => ({ Payload: new TextEncoder().encode(text) });

test('a function is asked by its whole name, and its word counts', async () => {
  const { client, sent } = answering(() => payload('{"hookStatus":"FAILED","message":"0.2"}'));
  const answer = await invokeFunction(ARN, checkQuestion(), 10, { client });
  expect(answer).toEqual({ verdict: 'fail', detail: 'FAILED: 0.2' });
  const [{ FunctionName, Payload }] = sent as [{ FunctionName: string; Payload: string }];
  expect(FunctionName).toBe(ARN);
  expect(JSON.parse(Payload)).toEqual(checkQuestion());
});

test.each([
  ['throws', () => ({ ...payload('{"hookStatus":"FAILED"}'), FunctionError: 'Unhandled' })],
  ['answers nothing', () => ({})],
  ['answers null', () => payload('null')],
  ['may not be called', () => Promise.reject(named('AccessDeniedException'))],
  ['is throttled', () => Promise.reject(named('TooManyRequestsException'))],
])('a function that %s has not answered', async (_, answer) => {
  const { client } = answering(answer);
  const said = await invokeFunction(ARN, checkQuestion(), 10, { client });
  expect(said).toMatchObject({ verdict: 'unknown' });
  expect(said).not.toHaveProperty('askAgainIn');
});

test('a function that is at work beyond its time has not answered', async () => {
  const { client } = answering(
    (signal) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(named('AbortError')));
      }),
  );
  const said = await invokeFunction(ARN, checkQuestion(), 1, { client });
  expect(said).toEqual({ verdict: 'unknown', detail: 'no answer in 1 s' });
});
