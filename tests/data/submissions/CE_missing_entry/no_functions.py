attend = 1
visible = None
