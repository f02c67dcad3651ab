/** Variables of NCCL and UCX: where they stand, what wins, and what holds where they are absent. */
import { describe, expect, test } from 'vitest'
import { said } from '../read.test-data.ts'

const job = (text: string): Record<string, unknown> => said(text).device

test('the exact form of a device keeps its sign', () => {
  expect(job('NCCL_IB_HCA==mlx5_1:1\n')['job.ncclIbHca']).toBe('=mlx5_1:1')
  expect(job('NCCL_IB_HCA=^=mlx5_1,mlx5_2:1\n')['job.ncclIbHca']).toBe('^=mlx5_1,mlx5_2:1')
})

test.each([
  ['export NCCL_IB_TC="106"  # was NCCL_IB_TC=1\n'],
  ['mpirun -np 8 -x NCCL_IB_TC=106 -x NCCL_DEBUG=INFO ./a.out\n'],
  ['ENV NCCL_IB_TC=106\r\n'],
  ['env:\n  - name: NCCL_IB_TC\n    value: "106"\n'],
  ['environment:\n  NCCL_IB_TC: "106"\n'],
  ['{"NCCL_DEBUG": "INFO", "NCCL_IB_TC": 106}\n'],
  ['NCCL_IB_TC=0x6a\n'],
  ['NCCL_IB_TC=5\nNCCL_IB_TC=106\n'],
])('%j sets a traffic class', (text) => {
  expect(job(text)).toMatchObject({ 'job.ncclIbTc': 106, 'job.ncclIbFifoTc?': 106, 'job.ncclGinIbTc?': 106 })
})

describe('what is not set', () => {
  test('has a default where NCCL is configured', () => {
    expect(job('NCCL_IB_HCA=mlx5\n#NCCL_IB_TC=106\n')).toEqual({
      'job.ncclIbHca': 'mlx5',
      'job.ncclIbTc?': 0,
      'job.ncclIbFifoTc?': 0,
      'job.ncclGinIbTc?': 0,
      'job.ncclIbGidIndex?': -1,
      'job.ncclIbTimeout?': 20,
      'job.ncclIbRetryCount?': 7,
    })
  })

  test('has none where only UCX is, or nothing but comments', () => {
    expect(job('UCX_IB_TRAFFIC_CLASS=106\n')).toEqual({ 'job.ucxIbTc': 106 })
    expect(job('# NCCL_IB_TC=106\n')).toEqual({})
  })

  test('is what is unset, or set to -1', () => {
    expect(job('export NCCL_IB_TC=106\nNCCL_DEBUG=INFO\nunset NCCL_IB_TC\n')['job.ncclIbTc?']).toBe(0)
    expect(job('NCCL_IB_TC=-1\n')).toMatchObject({ 'job.ncclIbTc?': 0, 'job.ncclGinIbTc?': 0 })
    expect(job('NCCL_IB_GID_INDEX=-1\n')['job.ncclIbGidIndex']).toBe(-1)
  })

  test('is not what cannot be read', () => {
    expect(job('NCCL_IB_TC=$TC\nUCX_IB_TRAFFIC_CLASS=auto\n')).toMatchObject({
      'job.ncclIbTc': 'unknown',
      'job.ncclIbFifoTc': 'unknown',
      'job.ucxIbTc': 'unknown',
    })
  })
})

test('GPU-driven queue pairs', () => {
  expect(job('NCCL_GIN_ENABLE=1\nNCCL_GIN_TYPE=3\nNCCL_GIN_IB_TC=236\n')).toMatchObject({
    'job.isNcclGinOn': true,
    'job.ncclGinType': 3,
    'job.ncclGinIbTc': 236,
    'job.ncclIbTc?': 0,
  })
})

test('NVSHMEM, UCX and libfabric have traffic classes and entries of GIDs of their own', () => {
  const text =
    'export NVSHMEM_IB_TRAFFIC_CLASS=162\nexport NVSHMEM_IB_GID_INDEX=3\nUCX_IB_GID_INDEX=5\nFI_PROVIDER=verbs\nFI_VERBS_GID_IDX=1\n'
  const variables = {
    'job.nvshmemIbTc': 162,
    'job.nvshmemIbGidIndex': 3,
    'job.ucxIbGidIndex': 5,
    'job.fiVerbsGidIndex': 1,
  }
  expect(job(text)).toEqual(variables)
  expect(job('- name: NVSHMEM_IB_GID_INDEX\n  value: "${GID:-3}"\n')['job.nvshmemIbGidIndex']).toBe('unknown')
})

test('lists of adapters and retries of other libraries than NCCL', () => {
  const lists = 'UCX_NET_DEVICES=mlx5_0:1,eth0\nNVSHMEM_HCA_LIST=mlx5_0,mlx5_1\nFI_VERBS_DEVICE_NAME=mlx5_2\n'
  const own = { 'job.ucxNetDevices': 'mlx5_0:1,eth0', 'job.fiVerbsDevice': 'mlx5_2' }
  expect(job(lists)).toEqual(own)
  const mapped = job(`${lists}NVSHMEM_ENABLE_NIC_PE_MAPPING=1\n`)
  expect(mapped).toEqual({ ...own, 'job.nvshmemHcaList': 'mlx5_0,mlx5_1' })
  // The nearest of 4.096 us x 2^code: 0.537 s and 1.074 s; retries are then those of UCX.
  for (const [text, code] of [
    ['1.0s', 18],
    ['1000000us', 18],
    ['500ms', 17],
    ['1ns', 1],
    ['7', 21],
  ] as const)
    expect(job(`UCX_RC_TIMEOUT=${text}\n`)).toEqual({ 'job.ucxRcTimeout': code, 'job.ucxRcRetryCount?': 7 })
  expect(job('UCX_RC_RETRY_COUNT=3\n')).toEqual({ 'job.ucxRcRetryCount': 3, 'job.ucxRcTimeout?': 18 })
  expect(job('UCX_RC_TIMEOUT=soon\n')['job.ucxRcTimeout']).toBe('unknown')
})
