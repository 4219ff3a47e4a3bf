import { describe, expect, test } from '@jest/globals';
import { Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import {
  CfnRoute,
  GatewayVpcEndpointAwsService,
  InterfaceVpcEndpointAwsService,
  type IVpc,
  Port,
  SecurityGroup,
  type SubnetConfiguration,
  SubnetType,
  Vpc,
} from 'aws-cdk-lib/aws-ec2';
import { EndpointRollouts } from '../../lib/constructs/endpoint-rollouts.ts';
import type { NetworkProps } from '../../lib/constructs/resources/service-network.ts';
import { readFunctionEnv } from '../../lib/contract/functions/environment.ts';
import { createApp } from '../support/create-app.ts';
import { config, createStack } from './create-stack.ts';
import { EVERYTHING } from './everything.ts';

const CALLERS = ['create', 'list', 'openRollout', 'roll', 'look', 'turnAround', 'stop'];
const OUTSIDE = ['closeRollout', 'janitor', 'start', 'sweep'];
const ENV = { account: '123456789012', region: 'eu-central-1' };

const { stack, rollouts } = withNetwork((vpc) => ({ vpc }));
const template = Template.fromStack(stack);
const functions = Object.entries(template.findResources('AWS::Lambda::Function')).filter(([id]) =>
  id.startsWith('Rollouts'),
);
const functionOf = (name: string) =>
  functions.find(([id]) => new RegExp(`${name}Function[0-9A-F]{8}$`).test(id))?.[1];

describe('a private service', () => {
  test('these are all functions', () => {
    expect(functions).toHaveLength(CALLERS.length + OUTSIDE.length);
  });

  test.each(CALLERS)('%s calls it from the private subnets', (name) => {
    const { SubnetIds, SecurityGroupIds } = functionOf(name)?.Properties.VpcConfig ?? {};
    expect(SubnetIds).toEqual(
      [1, 2].map(() => ({ Ref: expect.stringMatching(/^VpcPrivateSubnet\d/) })),
    );
    expect(SecurityGroupIds).toHaveLength(1);
  });

  test.each(OUTSIDE)('%s stays outside', (name) => {
    expect(functionOf(name)?.Properties).not.toHaveProperty('VpcConfig');
  });

  test('one security group is for all functions, so that they share their network interfaces', () => {
    const groups = functions.flatMap(
      ([, { Properties }]) => Properties.VpcConfig?.SecurityGroupIds ?? [],
    );
    expect(new Set(groups.map((group) => JSON.stringify(group))).size).toBe(1);
  });

  test('the roles of these functions, and no others, may have network interfaces', () => {
    const able = Object.entries(template.findResources('AWS::IAM::Policy')).flatMap(
      ([id, { Properties }]) =>
        JSON.stringify(Properties.PolicyDocument).includes('ec2:CreateNetworkInterface')
          ? [id]
          : [],
    );
    const names = able.map((id) => /(?:Steps|Operations)(\w+)RoleDefaultPolicy/.exec(id)?.[1]);
    expect(names.toSorted()).toEqual(CALLERS.toSorted());
  });

  test('the code of no function may use these rights, which are for Lambda', () => {
    for (const { Properties } of Object.values(template.findResources('AWS::IAM::Policy'))) {
      const { Statement } = Properties.PolicyDocument;
      const interfaces = Statement.filter(({ Action }: { Action: string | string[] }) =>
        [Action].flat().includes('ec2:CreateNetworkInterface'),
      );
      if (interfaces.length === 0) continue;
      expect(interfaces).toEqual([
        expect.objectContaining({ Effect: 'Allow' }),
        {
          Effect: 'Deny',
          Action: interfaces[0].Action,
          Resource: '*',
          Condition: { ArnLike: { 'lambda:SourceFunctionArn': expect.anything() } },
        },
      ]);
    }
  });

  test('all functions are in the network, where an organisation demands it', () => {
    const { stack: own } = withNetwork((vpc) => ({ vpc, all: true }));
    const inside = Object.entries(Template.fromStack(own).findResources('AWS::Lambda::Function'))
      .filter(([id]) => id.startsWith('Rollouts'))
      .map(([, { Properties }]) => Properties.VpcConfig?.SubnetIds?.length);
    expect(inside).toEqual(Array(CALLERS.length + OUTSIDE.length).fill(2));
  });

  test('the service lets the functions in by their security group', () => {
    const { stack: own, rollouts: callers, vpc } = withNetwork((one) => ({ vpc: one }));
    new SecurityGroup(own, 'Service', { vpc: vpc as IVpc }).connections.allowFrom(
      callers,
      Port.tcp(443),
    );
    Template.fromStack(own).hasResourceProperties('AWS::EC2::SecurityGroupIngress', {
      FromPort: 443,
      SourceSecurityGroupId: {
        'Fn::GetAtt': [stringLike('RolloutsNetworkSecurityGroup', own), 'GroupId'],
      },
    });
    expect(rollouts.connections.securityGroups).toHaveLength(1);
  });
});

test('without a network no function is in a VPC', () => {
  const plain = new Stack(createApp({ context: { 'aws:cdk:bundling-stacks': [] } }), 'Plain');
  new EndpointRollouts(plain, 'Rollouts', EVERYTHING);
  expect(JSON.stringify(Template.fromStack(plain))).not.toContain('VpcConfig');
});

describe('a network in which functions cannot work is refused', () => {
  const isolated = { name: 'isolated', subnetType: SubnetType.PRIVATE_ISOLATED };
  const inIsolated = (vpc: Vpc) => ({ vpc, subnets: { subnetType: SubnetType.PRIVATE_ISOLATED } });

  test('public subnets', () => {
    const create = () =>
      withNetwork((vpc) => ({ vpc, subnets: { subnetType: SubnetType.PUBLIC } }));
    expect(create).toThrow('network.subnets: functions in public subnets');
  });

  test('no security group', () => {
    expect(() => withNetwork((vpc) => ({ vpc, securityGroups: [] }))).toThrow(
      'network.securityGroups: use a list of at least 1',
    );
  });

  test('a VPC of another region', () => {
    const create = () =>
      withNetwork((vpc) => ({
        vpc: Vpc.fromVpcAttributes(vpc, 'Other', {
          vpcId: 'vpc-1',
          region: 'us-east-1',
          availabilityZones: ['us-east-1a'],
          privateSubnetIds: ['subnet-1'],
        }),
      }));
    expect(create).toThrow(
      'network.vpc: it is in the region us-east-1, and the stack in eu-central-1',
    );
  });

  test('isolated subnets without endpoints, each of which is named', () => {
    const { stack: own } = withNetwork(inIsolated, [isolated]);
    expect(() => Template.fromStack(own)).toThrow(
      /add VPC endpoints for dynamodb, events, secretsmanager, monitoring, states,/,
    );
  });

  test('not with all endpoints, and not with a route of which nobody knows where it leads', () => {
    const { stack: own, vpc } = withNetwork(inIsolated, [isolated]);
    vpc.addGatewayEndpoint('DynamoDb', { service: GatewayVpcEndpointAwsService.DYNAMODB });
    const { EVENTBRIDGE, SECRETS_MANAGER, CLOUDWATCH_MONITORING, STEP_FUNCTIONS } =
      InterfaceVpcEndpointAwsService;
    const services = { EVENTBRIDGE, SECRETS_MANAGER, CLOUDWATCH_MONITORING, STEP_FUNCTIONS };
    for (const [id, service] of Object.entries(services)) vpc.addInterfaceEndpoint(id, { service });
    expect(() => Template.fromStack(own)).not.toThrow();

    const other = withNetwork(inIsolated, [isolated]);
    other.vpc.isolatedSubnets.forEach(({ routeTable }, index) => {
      new CfnRoute(other.stack, `Route${index}`, {
        routeTableId: routeTable.routeTableId,
        destinationCidrBlock: '0.0.0.0/0',
        transitGatewayId: 'tgw-1',
      });
    });
    expect(() => Template.fromStack(other.stack)).not.toThrow();
  });
});

function withNetwork(
  network: (vpc: Vpc) => NetworkProps,
  subnetConfiguration?: SubnetConfiguration[],
) {
  const app = createApp({ context: { 'aws:cdk:bundling-stacks': [] } });
  const own = new Stack(app, 'Shop', { env: ENV });
  const vpc = new Vpc(own, 'Vpc', {
    maxAzs: 2,
    ...(subnetConfiguration && { subnetConfiguration }),
  });
  const callers = new EndpointRollouts(own, 'Rollouts', { ...EVERYTHING, network: network(vpc) });
  return { stack: own, rollouts: callers, vpc };
}

function stringLike(start: string, own: Stack): string {
  const all = Object.keys(Template.fromStack(own).findResources('AWS::EC2::SecurityGroup'));
  return all.find((id) => id.startsWith(start)) ?? '';
}

test('every function that calls the service knows the hosts for plain http, also without any "tls"', () => {
  const allowHttp = ['*.svc.cluster.local'];
  const all = Template.fromStack(createStack({ base: { ...config, allowHttp } }));
  const told = Object.entries(all.findResources('AWS::Lambda::Function')).flatMap(
    ([id, { Properties }]) => {
      const name = CALLERS.find((one) => new RegExp(`${one}Function[0-9A-F]{8}$`).test(id));
      if (name === undefined) return [];
      const { network } = readFunctionEnv(Properties.Environment.Variables, ['network']);
      return [[name, network.allowHttp] as const];
    },
  );
  expect(new Map(told)).toEqual(new Map(CALLERS.map((name) => [name, allowHttp])));
});
