/** Base: assertions, input issues, parameters, random streams and arithmetic that every room may use. */
export { assert, BrokenLaw, Bug } from './assert.ts'
export { formatIssue, InputError, inputError, type Issue } from './issue.ts'
export * from './params.ts'
export { createRandomStreams, type RandomStream, type RandomStreams } from './random.ts'
export { createSerialization, type Serialization, type TimeRounding } from './serialization.ts'
export { VERSION } from './version.ts'
