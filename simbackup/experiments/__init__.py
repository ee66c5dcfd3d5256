"""Many runs: reproduction, sensitivity, calibration, studies."""
