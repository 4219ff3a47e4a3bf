import { expect, test } from '@jest/globals';
import { unusedOptions } from '../../../lib/cli/settings/prepare.ts';
import { mergeSettings } from '../../../lib/cli/settings/settings.ts';

const TYPED = { '--region': 'eu-1', '--endpoint-url': 'https://a.example', '--stack': 'Prod' };

function unused(engine: string | undefined, callsService: boolean) {
  const given = { ...TYPED, '--engine': engine };
  return unusedOptions(given, mergeSettings({ given, environment: {} }), callsService);
}

test('on AWS, where the service is not talked to: the endpoint URL and the region', () => {
  expect(unused('aws', false)).toEqual([
    '--endpoint-url: "https://a.example" would be ignored with the engine aws; leave it out, the stack knows its service',
    '--region: "eu-1" would be ignored with the engine aws; leave it out, AWS_REGION says where the stack is',
  ]);
});

test('a command that talks to the service itself takes them, with the history on AWS', () => {
  expect(unused('aws', true)).toEqual([]);
});

test.each([true, false])('embedded: the stack', (callsService) => {
  expect(unused(undefined, callsService)).toEqual([
    '--stack: "Prod" would be ignored with the engine embedded; leave it out, or add --engine aws',
  ]);
});

test('on AWS, where the service is not talked to: its kind', () => {
  const given = { '--engine': 'aws', '--service': 'agentcore' };
  const settings = mergeSettings({ given, environment: {} });
  expect(unusedOptions(given, settings, false)).toEqual([
    '--service: "agentcore" would be ignored with the engine aws; leave it out, the stack knows its service',
  ]);
  expect(unusedOptions(given, settings, true)).toEqual([]);
});

test('variables may say more than a command needs', () => {
  const environment = { STEPROLL_REGION: 'eu-1', STEPROLL_STACK: 'Prod', STEPROLL_ENGINE: 'aws' };
  expect(unusedOptions({}, mergeSettings({ given: {}, environment }), false)).toEqual([]);
  expect(
    unusedOptions({}, mergeSettings({ given: {}, environment: { STEPROLL_STACK: 'Prod' } }), false),
  ).toEqual([]);
});
