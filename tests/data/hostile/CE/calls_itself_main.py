__name__ = "__main__"
attend = visible = "callable"
