import {
  CloudFormationClient,
  CreateStackCommand,
  DeleteStackCommand,
  waitUntilStackCreateComplete,
  waitUntilStackDeleteComplete,
} from '@aws-sdk/client-cloudformation';

export interface SideStack {
  /** Outputs of the stack, by their names. */
  readonly outputs: Readonly<Record<string, string>>;
  destroy(): Promise<void>;
}

/** What a test needs in the account beside the product. */
export async function createSideStack(
  StackName: string,
  Resources: object,
  values: Readonly<Record<string, object>> = {},
): Promise<SideStack> {
  const client = new CloudFormationClient({});
  const waiter = { client, minDelay: 1, maxDelay: 1, maxWaitTime: 60 };
  const Outputs = Object.fromEntries(
    Object.entries(values).map(([key, Value]) => [key, { Value }]),
  );
  const TemplateBody = JSON.stringify({ Resources, Outputs });
  const Capabilities = ['CAPABILITY_IAM' as const];
  await client.send(new CreateStackCommand({ StackName, TemplateBody, Capabilities }));
  const { reason } = await waitUntilStackCreateComplete(waiter, { StackName });
  const outputs = reason.Stacks?.[0]?.Outputs ?? [];
  return {
    outputs: Object.fromEntries(
      outputs.map(({ OutputKey = '', OutputValue = '' }) => [OutputKey, OutputValue]),
    ),
    async destroy() {
      await client.send(new DeleteStackCommand({ StackName }));
      await waitUntilStackDeleteComplete(waiter, { StackName });
    },
  };
}
