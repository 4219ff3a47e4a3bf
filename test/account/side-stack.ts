/** The template of the endpoint service: a function with a URL, and a table of what it was asked for. */
export function sideStack(code: string): object {
  const of = (Type: string, Properties: object) => ({ Type, Properties });
  return {
    Parameters: { Token: { Type: 'String', NoEcho: true } },
    Resources: {
      Table: of('AWS::DynamoDB::Table', {
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
        KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
      }),
      Role: of('AWS::IAM::Role', {
        AssumeRolePolicyDocument: policyOf({
          ...{ Effect: 'Allow', Action: 'sts:AssumeRole' },
          Principal: { Service: 'lambda.amazonaws.com' },
        }),
        Policies: [
          {
            PolicyName: 'table',
            PolicyDocument: policyOf({
              ...{ Effect: 'Allow', Action: ['dynamodb:GetItem', 'dynamodb:PutItem'] },
              Resource: { 'Fn::GetAtt': ['Table', 'Arn'] },
            }),
          },
        ],
      }),
      Service: of('AWS::Lambda::Function', {
        ...{ Runtime: 'nodejs24.x', Handler: 'index.handler', Timeout: 10, MemorySize: 256 },
        Code: { ZipFile: code },
        Role: { 'Fn::GetAtt': ['Role', 'Arn'] },
        Environment: { Variables: { TABLE: { Ref: 'Table' }, TOKEN: { Ref: 'Token' } } },
      }),
      Url: of('AWS::Lambda::Url', {
        AuthType: 'NONE',
        TargetFunctionArn: { 'Fn::GetAtt': ['Service', 'Arn'] },
      }),
      // Since October 2025 a public URL needs both.
      MayUrl: of('AWS::Lambda::Permission', {
        ...{ Action: 'lambda:InvokeFunctionUrl', Principal: '*', FunctionUrlAuthType: 'NONE' },
        FunctionName: { Ref: 'Service' },
      }),
      MayInvoke: of('AWS::Lambda::Permission', {
        ...{ Action: 'lambda:InvokeFunction', Principal: '*', InvokedViaFunctionUrl: true },
        FunctionName: { Ref: 'Service' },
      }),
    },
    Outputs: { Url: { Value: { 'Fn::GetAtt': ['Url', 'FunctionUrl'] } } },
  };
}

function policyOf(statement: object): object {
  return { Version: '2012-10-17', Statement: [statement] };
}
