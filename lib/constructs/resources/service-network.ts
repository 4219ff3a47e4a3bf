import { Stack, Token } from 'aws-cdk-lib';
import {
  CfnRoute,
  CfnVPCEndpoint,
  Connections,
  type ISecurityGroup,
  type ISubnet,
  type IVpc,
  SecurityGroup,
  type SubnetSelection,
  Vpc,
} from 'aws-cdk-lib/aws-ec2';
import { Construct } from 'constructs';
import type { Config } from '../../contract/config/config.ts';
import { invalidInput } from '../../contract/input/parse-input.ts';
import { gatesIn, secretsOfGates, secretsOfService } from './needed-rights.ts';

/** With `exactOptionalPropertyTypes` the CDK's own class of a VPC does not fit the CDK's interface. */
export type GivenVpc = Omit<IVpc, 'vpnGatewayId'> & { readonly vpnGatewayId?: string | undefined };

/** The network in which a private service is reached. */
export interface NetworkProps {
  /** The VPC, in the account and the region of the stack. */
  readonly vpc: GivenVpc;
  /** Subnets of the VPC. @default - the private ones, as the CDK chooses them */
  readonly subnets?: SubnetSelection | undefined;
  /** At least one. @default - one of the construct's own, from which everything may be called */
  readonly securityGroups?: readonly ISecurityGroup[] | undefined;
  /** Whether all functions are in it, as an organisation may demand. @default - only those that call the service */
  readonly all?: boolean | undefined;
}

/** The network of the functions that call the service, its token endpoint, probes and checks. All others stay outside. */
export class ServiceNetwork extends Construct {
  readonly vpc: IVpc;
  readonly vpcSubnets: SubnetSelection;
  readonly securityGroups: ISecurityGroup[];
  readonly connections: Connections;
  /** Of functions that call nothing but AWS. @default - they stay outside */
  readonly ofOthers: ServiceNetwork | undefined;

  /** @throws `InvalidInput` for a network in which functions cannot work, as far as it is known. */
  constructor(scope: Construct, id: string, props: NetworkProps, config: Config) {
    super(scope, id);
    const { subnets = {} } = props;
    const vpc = props.vpc as IVpc;
    refuseElsewhere(this, vpc);
    const chosen = chooseSubnets(vpc, subnets);
    if (props.securityGroups?.length === 0) {
      throw invalidInput('configuration', ['network.securityGroups: use a list of at least 1']);
    }
    // One group for all functions: Lambda makes a network interface for each subnet and group, and not for each function.
    this.securityGroups = [
      ...(props.securityGroups ?? [
        new SecurityGroup(this, 'SecurityGroup', {
          vpc,
          description: 'Functions of steproll that call the service',
        }),
      ]),
    ];
    this.vpc = vpc;
    this.vpcSubnets = { subnets: chosen };
    this.ofOthers = props.all ? this : undefined;
    this.connections = new Connections({ securityGroups: this.securityGroups });
    // This is a validation, because endpoints and routes may be added until the synthesis.
    this.node.addValidation({
      validate: () => {
        if (!(vpc instanceof Vpc) || !chosen.every((one) => isCutOff(one, vpc))) return [];
        const missing = usedServices(config, props.all).filter(
          (service) => !hasEndpoint(vpc, service),
        );
        if (missing.length === 0) return [];
        return [
          `network.subnets: from these isolated subnets nothing of AWS is reached; add VPC endpoints for ${missing.join(', ')}, or choose subnets with a way out (docs/network.md, "A private service on AWS")`,
        ];
      },
    });
  }
}

function refuseElsewhere(scope: Construct, { env }: IVpc): void {
  const { region, account } = Stack.of(scope);
  const mistakes = [
    { its: env.region, own: region, what: 'region' },
    { its: env.account, own: account, what: 'account' },
  ].flatMap(({ its, own, what }) =>
    Token.isUnresolved(its) || Token.isUnresolved(own) || its === own
      ? []
      : [`network.vpc: it is in the ${what} ${its}, and the stack in ${own}`],
  );
  if (mistakes.length > 0) throw invalidInput('configuration', mistakes);
}

function chooseSubnets(vpc: IVpc, selection: SubnetSelection): ISubnet[] {
  const { subnets, isPendingLookup } = vpc.selectSubnets(selection);
  // The CDK asks the app a second time, once it has looked the VPC up.
  if (isPendingLookup === true) return subnets;
  const publicIds = new Set(vpc.publicSubnets.map(({ subnetId }) => subnetId));
  const verdict =
    subnets.length === 0
      ? 'the VPC has none of them'
      : subnets.some(({ subnetId }) => publicIds.has(subnetId))
        ? 'functions in public subnets have no public addresses and so no way out; use private ones'
        : undefined;
  if (verdict !== undefined) throw invalidInput('configuration', [`network.subnets: ${verdict}`]);
  return subnets;
}

/** Whether a subnet has no way out, as far as this app knows. */
function isCutOff(subnet: ISubnet, vpc: Vpc): boolean {
  const isIsolated = vpc.isolatedSubnets.some(({ subnetId }) => subnetId === subnet.subnetId);
  const stack = Stack.of(vpc);
  const tableOf = (id: unknown) => JSON.stringify(stack.resolve(id));
  const own = tableOf(subnet.routeTable.routeTableId);
  const routes = vpc.node.root.node.findAll().filter((one) => one instanceof CfnRoute);
  return isIsolated && !routes.some(({ routeTableId }) => tableOf(routeTableId) === own);
}

function hasEndpoint(vpc: Vpc, service: string): boolean {
  const stack = Stack.of(vpc);
  return vpc.node.root.node
    .findAll()
    .filter((one) => one instanceof CfnVPCEndpoint)
    .some(({ vpcId, serviceName = '' }) => {
      const isOfVpc =
        JSON.stringify(stack.resolve(vpcId)) === JSON.stringify(stack.resolve(vpc.vpcId));
      return isOfVpc && JSON.stringify(stack.resolve(serviceName)).includes(`.${service}"`);
    });
}

/** The services of AWS that functions in the network call, as their VPC endpoints are named. */
function usedServices(config: Config, all = false): string[] {
  const { service, groups = {} } = config;
  const asked = gatesIn(config);
  const actions = asked.flatMap(({ gate, said }) =>
    (gate.needs?.(said).grants ?? []).flatMap((grant) => grant.actions),
  );
  const hasSecrets = [...secretsOfService(config), ...secretsOfGates(asked)].length > 0;
  return [
    'dynamodb',
    'events',
    ...(hasSecrets ? ['secretsmanager'] : []),
    ...(actions.some((action) => action.startsWith('cloudwatch:')) ? ['monitoring'] : []),
    ...(actions.some((action) => action.startsWith('lambda:')) ? ['lambda'] : []),
    ...(all || Object.keys(groups).length > 0 ? ['states'] : []),
    ...(service.kind === 'agentcore' ? ['bedrock-agentcore-control'] : []),
  ];
}
