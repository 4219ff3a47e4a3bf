import type { EndpointRolloutsProps } from '../../lib/constructs/endpoint-rollouts-props.ts';
import { partialPolicySchema } from '../../lib/contract/config/policy.ts';
import { SECRET_ARN } from '../support/secrets-manager.ts';

export const KEY_ARN =
  'arn:aws:kms:eu-central-1:123456789012:key/0aa11bb2-3c4d-5e6f-7a8b-9c0d1e2f3a4b';
const TO_SHOP = { runtimeId: 'shop', version: 3 };

/** A configuration in which everything is switched on that makes resources on AWS. */
export const EVERYTHING: EndpointRolloutsProps = {
  endpointUrl: 'https://endpoints.example.com',
  auth: {
    kind: 'bearer',
    secret: {
      awsSecret: SECRET_ARN,
      kmsKey: KEY_ARN,
    },
  },
  policies: {
    shop: partialPolicySchema.parse({
      verify: {
        probe: { path: '/healthz', hosts: ['*.shop.example.com'] },
        alarms: ['shop-5xx'],
        metrics: [{ namespace: 'Shop', metric: 'Errors', limit: { above: 5 } }],
        approval: { timeoutSeconds: 3600 },
      },
    }),
  },
  runtimes: { shop: { policy: 'shop' } },
  groups: { prod: { runtimes: ['shop'], policy: { verify: { alarms: ['group-5xx'] } } } },
  triggers: {
    accounts: ['111122223333'],
    releases: [
      {
        name: 'ecr',
        bus: 'default',
        pattern: { source: ['aws.ecr'], 'detail-type': ['ECR Image Action'] },
        runtimeId: 'shop',
        version: { path: 'detail.image-tag' },
      },
    ],
    schedules: [
      { name: 'hourly', ...TO_SHOP, rate: '1 hour' },
      { name: 'berlin', ...TO_SHOP, cron: '0 3 * * ? *', timeZone: 'Europe/Berlin' },
    ],
  },
  notifications: { emails: ['on-call@example.com'], chat: true },
  kmsKey: 'create',
};

/** The smallest configuration for AgentCore. */
export const AGENTCORE: EndpointRolloutsProps = {
  service: { kind: 'agentcore', region: 'eu-central-1' },
  runtimes: { 'shop-a1B2c3D4e5': {} },
};
