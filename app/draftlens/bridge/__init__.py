"""The Qt boundary: QObjects and Qt models fed by plain values; no widgets."""
