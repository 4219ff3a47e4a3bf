import { expect, test } from '@jest/globals';
import { parseConfig } from '../../lib/contract/config.ts';
import {
  readServiceEnv,
  readStepEnv,
  writeServiceEnv,
  writeStepEnv,
} from '../../lib/contract/function-env.ts';
import { ErrorName } from '../../lib/domain/errors.ts';
import { SECRET_ARN } from '../support/secrets-manager.ts';

const config = parseConfig({
  endpointUrl: 'https://endpoints.example.com/runtime',
  auth: { kind: 'bearer', secret: { awsSecret: SECRET_ARN } },
  policy: { bakeSeconds: 60 },
  wire: { page: { endpoints: null } },
});
const { endpointUrl, auth, wire } = config;
const settings = { ...config, tableName: 'ledger' };

test('a function reads what its deployment wrote, among variables of others', () => {
  const others = { AWS_REGION: 'eu-central-1', PATH: undefined };
  const service = readServiceEnv({ ...others, ...writeServiceEnv(config) });
  expect(service).toEqual({ endpointUrl, auth, wire });
  expect(readStepEnv({ ...others, ...writeStepEnv(settings) })).toEqual(settings);
});

test('a function that only calls the service knows neither ledger nor policy', () => {
  expect(Object.keys(writeServiceEnv(config))).toEqual(['ENDPOINT_URL', 'AUTH', 'WIRE']);
});

test('every variable that is missing or wrong is named', () => {
  const read = () =>
    readStepEnv({
      ENDPOINT_URL: 'http://192.0.2.1',
      AUTH: '{"kind":"basic"}',
      WIRE: '{',
      TABLE_NAME: '',
    });
  expect(read).toThrow(expect.objectContaining({ name: ErrorName.InvalidInput }));
  expect(read).toThrow(
    /5 mistakes:.*ENDPOINT_URL.*AUTH\.kind: "basic".*WIRE: .*use JSON.*TABLE_NAME.*POLICY/s,
  );
});
