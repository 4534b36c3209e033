"""The bundled sample of HealthDial: invented dialogues with synthetic voices in the layout of the release."""
