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
